import { beforeAll, describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import type { Range } from '../../../src/base/range.ts';
import { runToEnd } from '../../../src/base/slices.ts';
import type { UserSignature } from '../../../src/functions/user/names.ts';
import { documentedAt, targetAt } from '../../../src/language/navigation/definition.ts';
import { commentGroups } from '../../../src/language/navigation/folding.ts';
import { resolveFunction } from '../../../src/language/navigation/function-references.ts';
import { fileNames } from '../../../src/language/navigation/links.ts';
import { userUseCounts, usesOf } from '../../../src/language/navigation/references.ts';
import { outline } from '../../../src/language/navigation/symbols.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { userFunctionsNamed } from './user-functions.ts';

const order = {
  id: 'order',
  prompt: 'Order two\nlamps.',
  gym: 'hud-browser',
  setup: ['goto', 'shop/shop.html'],
  evaluate: [
    { function: 'page_contains', args: ['Thanks'] },
    { function: 'cart_total', args: [42] },
  ],
};
const json = JSON.stringify([order, { ...order, id: 'again' }], null, 2);
const yaml = `- id: order
  prompt: Order two lamps.
  gym: hud-browser
  setup: [goto, shop/shop.html]
  evaluate:
    - function: page_contains
      args: [Thanks]
    - function: "cart_total"
      args: [42]
`;
const python = `from hud.task import Task

tasks = [
    Task(
        id="order",
        prompt="Order two lamps.",
        gym="hud-browser",
        setup=("goto", "shop/shop.html"),
        evaluate=[
            {"function": "page_contains", "args": ["Thanks"]},
            {"function": "cart_total", "args": [42]},
        ],
    ),
]
`;
const own = userFunctionsNamed('cart_total');

beforeAll(() => prepareToRead('/a.py'));

function textAt(text: string, range: Range): string {
  const lines = new Lines(text);
  return text.slice(lines.offset(range.start), lines.offset(range.end));
}

/** The position in the middle of some text. */
function middleOf(text: string, part: string): Range['start'] {
  return new Lines(text).position(text.indexOf(part) + (part.length >> 1));
}

describe('the outline', () => {
  it('shows each task with its prompt on one line, and its calls below it', () => {
    const entries = runToEnd(outline(readTasks('/a.tasks.json', json)));
    expect(entries.map(({ name, detail }) => [name, detail])).toEqual([
      ['order', 'Order two lamps.'],
      ['again', 'Order two lamps.'],
    ]);
    const calls = entries[1]?.children ?? [];
    expect(calls.map(({ kind, name, detail }) => [kind, name, detail])).toEqual([
      ['setup', 'goto', '("shop/shop.html")'],
      ['evaluate', 'page_contains', '("Thanks")'],
      ['evaluate', 'cart_total', '(42)'],
    ]);
    expect(calls.map(({ selection }) => textAt(json, selection))).toEqual(['goto', 'page_contains', 'cart_total']);
  });

  it('shows an unreadable task by its index', () => {
    const entries = runToEnd(outline(readTasks('/a.tasks.jsonl', '{"id": "a"}\n7\n{"id": "c", "evaluate": [""]}\n')));
    expect(entries.map(({ name }) => name)).toEqual(['a', '1', 'c']);
    expect(entries[2]?.children.map(({ name }) => name)).toEqual(['(no name)']);
  });

  it('shows no calls if there are very many tasks', () => {
    const rows = Array.from({ length: 1001 }, (_, index) => ({ ...order, id: `t${index}` }));
    const entries = runToEnd(outline(readTasks('/a.tasks.json', JSON.stringify(rows))));
    expect(entries).toHaveLength(1001);
    expect(entries.every(({ children }) => children.length === 0)).toBe(true);
  });

  it('shows ranges of tasks if there are more than an editor can show', () => {
    const lines = Array.from({ length: 3201 }, (_, index) => JSON.stringify({ ...order, id: `t${index}` }));
    const text = lines.join('\n');
    const entries = runToEnd(outline(readTasks('/a.tasks.jsonl', text)));
    expect(entries).toHaveLength(33);
    expect(entries[1]).toMatchObject({ kind: 'tasks', name: '100–199', detail: 't100 … t199' });
    expect(
      textAt(text, entries[1]?.range ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }),
    ).toBe(lines.slice(100, 200).join('\n'));
    expect(entries[32]).toMatchObject({ name: '3200', detail: 't3200' });
  });
});

describe('go to definition', () => {
  it.each([
    ['/a.tasks.json', json],
    ['/a.tasks.yaml', yaml],
    ['/a.py', python],
  ])('goes from a name to its function, and from a file name to the file: %s', (path, text) => {
    const file = readTasks(path, text);
    const at = (part: string) => targetAt(file, own, middleOf(text, part));
    expect(at('page_contains')).toMatchObject({ kind: 'builtin', declaration: { name: 'page_contains' } });
    expect(at('cart_total')).toMatchObject({ kind: 'user', signature: { file: '/own.functions.ts' } });
    expect(at('shop.html')).toMatchObject({ kind: 'file', name: 'shop/shop.html' });
    expect(at('Order two')).toBeUndefined();
    const target = at('cart_total');
    expect(target && textAt(text, target.from)).toBe('cart_total');
  });

  it('finds the name inside a reward call', () => {
    const text = '{"instruction": "Buy", "reward_function": "check_url_contains(\'dashboard\')"}';
    const target = targetAt(readTasks('/a.task.json', text), new Map(), middleOf(text, 'url_contains'));
    expect(target).toMatchObject({ kind: 'builtin', declaration: { name: 'url_contains' } });
    expect(target && textAt(text, target.from)).toBe('url_contains');
  });

  it('opens the documentation at the row of the function', () => {
    const text =
      '# Functions\n\n| `goto(url)` | setup |\n| `page_contains(text)` | evaluate |\n\n`sheet_contains` is not run.\n';
    const line = (name: string): number => {
      const meaning = resolveFunction(name, new Map());
      return meaning.kind === 'builtin' ? documentedAt(text, meaning.declaration) : -1;
    };
    expect([line('page_contains'), line('contains_text'), line('sheet_contains')]).toEqual([3, 3, 5]);
  });
});

describe('find all tasks that use a function', () => {
  const uses = (name: string, text: string, functions: ReadonlyMap<string, UserSignature> = own): string[] => {
    const found = runToEnd(usesOf(resolveFunction(name, own), readTasks('/a.tasks.json', text), functions));
    return found.map(({ range }) => `${range.start.line}:${textAt(text, range)}`);
  };

  it('finds every call, also under its other names', () => {
    const text =
      '[{"evaluate": ["page_contains", "a"]},\n{"evaluate": ["contains_text", "b"]},\n{"evaluate": ["url_match", "c"]}]';
    expect(uses('page_contains', text)).toEqual(['0:page_contains', '1:contains_text']);
  });

  it('distinguishes functions of the same name in two folders', () => {
    expect(uses('cart_total', json)).toHaveLength(2);
    const elsewhere = new Map([...own].map(([name, signature]) => [name, { ...signature, file: '/b/b.functions.ts' }]));
    expect(uses('cart_total', json, elsewhere)).toEqual([]);
  });

  it('counts tasks, not calls', () => {
    const text =
      '[{"evaluate": [["cart_total", 1], ["cart_total", 2]]}, {"evaluate": ["cart_total"]}, {"evaluate": ["goto"]}]';
    expect([...runToEnd(userUseCounts(readTasks('/a.tasks.json', text), own))]).toEqual([['cart_total', 2]]);
  });
});

describe('file names in a task', () => {
  const named = (task: unknown): string[] => {
    const text = JSON.stringify(task);
    return readTasks('/a.task.json', text).rows.flatMap((row) =>
      fileNames(row).map(({ name, range }) => `${name} <${textAt(text, range)}>`),
    );
  };

  it('are links to the solution, pages, and whatever else looks like a file', () => {
    const task = { id: 'a', setup: ['goto', 'shop.html?tab=1'], html_file: 'p/q.html', evaluate: ['sees', 'b.png'] };
    expect(named(task)).toEqual([
      'a.actions <a>',
      'shop.html <shop.html?tab=1>',
      'p/q.html <p/q.html>',
      'b.png <b.png>',
    ]);
  });

  it('are not addresses, words, or anything outside the folder', () => {
    const setup = [
      ['goto', 'https://a.example/shop.html'],
      ['goto', '../secret.html'],
      ['goto', '/etc/shop.html'],
      ['goto', 'a/../../b.html'],
      ['type', '#a', 'two words. And more'],
    ];
    expect(named({ id: '../x', prompt: 'Open shop.html', html: '<a>.b', setup })).toEqual([]);
  });
});

it('consecutive comment lines of a file of actions fold', () => {
  expect(commentGroups("# one\n# two\nclick('#a')\n// three\nclick('#b')\r\n  # four\r\n//five")).toEqual([
    [0, 1],
    [5, 6],
  ]);
});
