import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { readSnippets, taskPrefixStart } from '../../../src/language/typing/task-prefix.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { atMark } from '../tasks/cursor.ts';

const folder = new URL('../../../snippets/', import.meta.url);
/** The text that a snippet leaves where nobody writes over its suggestions. */
function expand(body: readonly string[]): string {
  return body
    .join('\n')
    .replace(/\$\{\d+:([^}]*)\}/g, '$1')
    .replaceAll('$0', '')
    .replaceAll('\t', '    ');
}

/** A file in which a person would use it. */
const FILES: Readonly<Record<string, (text: string) => readonly [path: string, text: string]>> = {
  json: (text) => ['/a.tasks.json', `[\n${text}\n]`],
  jsonl: (text) => ['/a.tasks.jsonl', text],
  yaml: (text) => ['/a.tasks.yaml', text],
  python: (text) => [
    '/a.py',
    text.startsWith('from ') ? text : `from hud.task import Task\n\ntasks = [\n${text.replace(/^/gm, '    ')},\n]\n`,
  ],
};

describe('a snippet', async () => {
  await prepareToRead('/a.py');
  const cases = Object.keys(FILES).flatMap((language) => {
    const read = readSnippets(readFileSync(new URL(`${language}.json`, folder), 'utf8'));
    return read.map((snippet) => [language, snippet.prefix, snippet] as const);
  });

  it.each(cases)('in %s, “%s”, is one task without findings', (language, _name, { body }) => {
    const [path, text] = FILES[language]?.(expand(body)) ?? ['', ''];
    const file = readTasks(path, text);
    expect(file.rows.map(({ id }) => id)).toEqual(['my-task']);
    expect(diagnose(file, new Map())).toEqual([]);
  });

  it('has a file for each language, and package.json contributes none of them', () => {
    expect(readdirSync(folder).sort()).toEqual(
      Object.keys(FILES)
        .map((name) => `${name}.json`)
        .sort(),
    );
    const { contributes } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(contributes).not.toHaveProperty('snippets');
  });

  it('is the same in every language', () => {
    const prefixes = (language: string): string[] =>
      cases
        .filter(([of]) => of === language)
        .map(([, , { prefix }]) => prefix)
        .filter((prefix) => prefix !== 'taskset');
    for (const language of Object.keys(FILES))
      expect(prefixes(language)).toEqual(['task-page', 'task-site', 'task-qa']);
  });
});

/** The column at which a new task would begin at the `|`. */
function beginning(name: string, markedText: string): number | null {
  const { text, offset } = atMark(markedText);
  const position = new Lines(text).position(offset);
  const line = text.slice(offset - position.character, offset);
  const file = readTasks(name, text);
  const language = /jsonl?$|yaml$/.exec(name)?.[0] ?? 'python';
  return taskPrefixStart(file.rows.length === 0 ? null : file, position, line, language, () => text);
}

describe('a snippet is offered', () => {
  const ROW = '{"id":"a","prompt":"b","gym":"qa"}';
  it.each([
    ['in an empty file', '/a.tasks.json', '|', 0],
    ['for a word in it', '/a.task.json', 'ta|', 0],
    ['in a list', '/a.tasks.json', `[\n  ${ROW},\n  task-|\n]`, 2],
    ['in a set', '/a.taskset.json', `{"tasks":[${ROW}, ta|]}`, 46],
    ['on a line of its own', '/a.tasks.jsonl', `${ROW}\n|\n`, 0],
    ['in an empty file of YAML', '/a.tasks.yaml', 'ta|', 0],
    ['below a task, with the mark of an item', '/a.tasks.yaml', '- id: a\n  prompt: x\n- ta|', 0],
    ['in a set in YAML', '/a.taskset.yaml', 'name: x\ntasks:\n  - id: a\n    prompt: x\n  ta|', 2],
    ['in Python that imports hud', '/a.py', 'from hud import Task\ntasks = [\n  ta|\n]', 2],
  ])('%s', (_, name, marked, column) => {
    expect(beginning(name, marked)).toBe(column);
  });

  it.each([
    ['in the name of a function', '/a.tasks.json', `[{"id":"a","prompt":"b","gym":"qa","evaluate":["ta|"]}]`],
    ['in the name of a function in YAML', '/a.tasks.yaml', '- id: a\n  prompt: x\n  evaluate:\n    - ta|'],
    [
      'in the name of a function in Python',
      '/a.py',
      'from hud import Task\nt = Task(id="a", prompt="b", evaluate=("ta|"))',
    ],
    ['among the keys of a task', '/a.tasks.yaml', '- id: a\n  prompt: x\n  ta|'],
    ['among the arguments of a task', '/a.py', 'from hud import Task\nt = Task(id="a", prompt="b", ta|)'],
    ['in a text', '/a.taskset.json', `{"name": "ta|", "tasks": [${ROW}]}`],
    ['in a comment', '/a.tasks.yaml', '- id: a\n  prompt: x\n# ta|'],
    ['in another program', '/a.py', 'import os\nta|'],
    ['in other data', '/tasks.yaml', 'version: 2\nta|'],
  ])('not %s', (_, name, marked) => {
    expect(beginning(name, marked)).toBeNull();
  });
});
