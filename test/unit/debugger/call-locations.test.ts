import { describe, expect, it } from 'vitest';
import { callAt, currentCall, stopsBetween } from '../../../src/debugger/call-locations.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import type { TaskFile } from '../../../src/tasks/rows.ts';
import { call, task } from '../runs/tasks.ts';

async function read(name: string, text: string): Promise<TaskFile> {
  await prepareToRead(name);
  return readTasks(`/tasks/${name}`, text);
}

/** The text that a breakpoint on a line comes to stand on; null where it stands nowhere. */
function underlined(file: TaskFile, text: string, line: number, column: number | null = null): string | null {
  const range = callAt(file, line, column)?.call.range;
  if (range === undefined) return null;
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (range.start.line !== range.end.line) return `${lines[range.start.line]?.slice(range.start.character)} …`;
  return lines[range.start.line]?.slice(range.start.character, range.end.character) ?? null;
}

const JSON_TEXT = `[
  {"id": "a", "prompt": "p", "gym": "hud-browser",
    "setup": ["goto", "a.html"],
    "evaluate": [
      {"function": "page_contains",
        "args": ["x"]},
      ["url_contains", "y"], ["url_contains", "z"]
    ],
    "max_steps": 3
  },
  {"id": "b", "prompt": "p", "gym": "hud-browser", "evaluate": ["page_contains", "b"]}
]
`;

const JSONL = `{"id": "a", "prompt": "p", "gym": "qa", "evaluate": ["response_is", "1"]}
{"id": "b", "prompt": "p", "gym": "qa", "evaluate": [["response_is", "2"], ["response_includes", "3"]]}
`;

const YAML = `- id: a
  prompt: p
  gym: hud-browser
  setup:
    - [goto, a.html]
  evaluate:
    - function: page_contains
      args:
        - x
    - [url_contains, y]
`;

const PYTHON = `from hud.task import Task

tasks = [
    Task(
        id="a",
        prompt="p",
        gym="hud-browser",
        setup=("goto", "a.html"),
        evaluate=[
            ("page_contains", "x"),
            {"function": "url_contains", "args": ["y"]},
        ],
    ),
]
`;

describe('a breakpoint on a line of a task file', () => {
  const cases: readonly [name: string, text: string, line: number, column: number | null, stands: string | null][] = [
    ['shop.tasks.json', JSON_TEXT, 2, null, '["goto", "a.html"]'],
    // On the id: moved down to the first call of that task.
    ['shop.tasks.json', JSON_TEXT, 1, null, '["goto", "a.html"]'],
    ['shop.tasks.json', JSON_TEXT, 4, null, '{"function": "page_contains", …'],
    // On the arguments of a call that began above.
    ['shop.tasks.json', JSON_TEXT, 5, null, '{"function": "page_contains", …'],
    ['shop.tasks.json', JSON_TEXT, 6, null, '["url_contains", "y"]'],
    ['shop.tasks.json', JSON_TEXT, 6, 32, '["url_contains", "z"]'],
    ['shop.tasks.json', JSON_TEXT, 6, 29, '["url_contains", "z"]'],
    // Below the last call of the task, and outside of any.
    ['shop.tasks.json', JSON_TEXT, 8, null, null],
    ['shop.tasks.json', JSON_TEXT, 0, null, null],
    ['shop.tasks.json', JSON_TEXT, 10, null, '["page_contains", "b"]'],
    ['shop.tasks.jsonl', JSONL, 0, null, '["response_is", "1"]'],
    ['shop.tasks.jsonl', JSONL, 1, null, '["response_is", "2"]'],
    ['shop.tasks.jsonl', JSONL, 1, 80, '["response_includes", "3"]'],
    ['shop.tasks.yaml', YAML, 0, null, '[goto, a.html]'],
    ['shop.tasks.yaml', YAML, 4, null, '[goto, a.html]'],
    ['shop.tasks.yaml', YAML, 8, null, 'function: page_contains …'],
    ['shop.tasks.yaml', YAML, 9, null, '[url_contains, y]'],
    ['shop_tasks.py', PYTHON, 4, null, '("goto", "a.html")'],
    ['shop_tasks.py', PYTHON, 9, null, '("page_contains", "x")'],
    ['shop_tasks.py', PYTHON, 10, null, '{"function": "url_contains", "args": ["y"]}'],
    ['shop_tasks.py', PYTHON, 0, null, null],
  ];

  it.each(cases)('%# is bound to the intended call', async (name, text, line, column, stands) => {
    for (const spelled of [text, text.replaceAll('\n', '\r\n'), `\uFEFF${text}`]) {
      expect(underlined(await read(name, spelled), spelled, line, column)).toBe(stands);
    }
  });

  it('is bound to its task and the index of its call, by which the run identifies it', async () => {
    const file = await read('shop.tasks.json', JSON_TEXT);
    expect(callAt(file, 6, null)).toMatchObject({ task: 'a', phase: 'evaluate', index: 1 });
    expect(callAt(file, 6, 32)).toMatchObject({ task: 'a', phase: 'evaluate', index: 2 });
    expect(callAt(file, 2, null)).toMatchObject({ task: 'a', phase: 'setup', index: 0 });
  });

  it('is found in text that is broken elsewhere', async () => {
    const broken = JSON_TEXT.replace('"id": "b",', '"id": "b" "');
    expect(underlined(await read('shop.tasks.json', broken), broken, 4)).toBe('{"function": "page_contains", …');
  });

  it('can be set at every call of a line, and of all requested lines', async () => {
    const file = await read('shop.tasks.json', JSON_TEXT);
    const between = (first: number, last: number) => stopsBetween(file, first, last).map((one) => one.call.args[0]);
    expect(between(6, 6)).toEqual(['y', 'z']);
    expect(between(0, 11)).toEqual(['a.html', 'x', 'y', 'z', 'b']);
    expect(between(5, 5)).toEqual([]);
  });

  it('is found in a file of 10,000 tasks', async () => {
    const row = '{"id": "t", "prompt": "p", "gym": "qa", "evaluate": ["response_is", "1"]}\n';
    const file = await read('many.tasks.jsonl', row.repeat(10_000));
    for (let line = 0; line < 10_000; line += 100) expect(callAt(file, line, null)?.index).toBe(0);
  });
});

describe('a call of a task that has been edited since', () => {
  const before = task({ evaluate: [call('page_contains', ['a']), call('url_contains', ['b'])] });

  it('is the one at its index if their number is unchanged', () => {
    const now = task({ evaluate: [call('text_matches', ['#x', 'a']), call('url_contains', ['b'])] });
    expect(currentCall(now, before, 'evaluate', 0)?.function).toBe('text_matches');
  });

  it('is the one with its function if calls were added or removed', () => {
    const now = task({ evaluate: [call('url_contains', ['c'])] });
    expect(currentCall(now, before, 'evaluate', 1)?.args).toEqual(['c']);
    expect(currentCall(now, before, 'evaluate', 0)).toBeUndefined();
  });
});
