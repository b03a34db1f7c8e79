import { describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import type { UserFunctions } from '../../../src/environments/user-functions.ts';
import type { CustomTaskName, CustomTaskNames } from '../../../src/functions/user/custom-tasks.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { targetAt } from '../../../src/language/navigation/definition.ts';
import { hover } from '../../../src/language/typing/hover.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { atMark } from '../tasks/cursor.ts';
import { labels } from './typing.ts';

const one = (name: string, more: Partial<CustomTaskName> = {}): [string, CustomTaskName] => [
  name,
  {
    name,
    file: '/tasks/cards.functions.ts',
    range: { start: { line: 4, character: 6 }, end: { line: 4, character: 10 } },
    nameRange: { start: { line: 9, character: 20 }, end: { line: 9, character: 20 + name.length } },
    class: 'Cards',
    doc: 'Sort the cards.',
    python: false,
    wrong: null,
    hasGoal: false,
    ...more,
  },
];

function own(more: Partial<CustomTaskNames> = {}): UserFunctions {
  const tasks = new Map([
    one('sort-cards', { hasGoal: true }),
    one('copy-note'),
    one('no-html', { wrong: 'has no method html()' }),
    one('old', { python: true, file: '/tasks/custom_tasks.py', class: 'Old' }),
  ]);
  return Object.assign(new Map(), { customTasks: { tasks, complete: true, refusal: null, ...more } });
}

const row = (name: unknown, more: object = { prompt: 'Do it' }): string =>
  JSON.stringify({ id: 'a', gym: { type: 'browsergym', benchmark: 'custom', task_name: name }, ...more });

function listFindings(text: string, around: UserFunctions = own()): string[] {
  return diagnose(readTasks('/tasks/a.task.json', text), around).map(
    ({ severity, code, message }) => `${severity} ${code}: ${message}`,
  );
}

describe('findings of a custom task in code', () => {
  it('are none if its class is registered, although it has no prompt and no evaluate calls', () => {
    expect(listFindings(row('sort-cards', {}))).toEqual([]);
    expect(listFindings(row('copy-note'))).toEqual([]);
    expect(
      listFindings(row('sort-cards', { cookies: [{ name: 'a', value: 'b', url: 'http://task.localhost' }] })),
    ).toEqual([]);
  });

  it('name the nearest registered class, with a fix', () => {
    const [finding] = diagnose(readTasks('/tasks/a.task.json', row('sort-card')), own());
    expect(finding).toMatchObject({ severity: 'error', code: 'custom-task' });
    expect(finding?.message).toContain('Did you mean “sort-cards”?');
    expect(finding?.range.start).toEqual({ line: 0, character: row('sort-card').lastIndexOf('sort-card') });
  });

  it.each([
    ['nothing like it', row('zebra'), own(), [/^error custom-task: .*registerCustomTask\("zebra", …\)/]],
    ['files that may register more', row('zebra'), own({ complete: false }), []],
    [
      'a module that cannot be loaded',
      row('zebra'),
      own({ refusal: 'OPENENV_TASK_MODULE names “x”' }),
      [/OPENENV_TASK/],
    ],
    ['nobody who has looked', row('zebra'), new Map(), []],
    [
      'a class that lacks a method',
      row('no-html'),
      own(),
      [/^error custom-task: “Cards” in cards.functions.ts:5 has no/],
    ],
    [
      'no prompt and no goal',
      row('copy-note', {}),
      own(),
      [/^error custom-task: .*has no goal\(\), and this task no prompt/],
    ],
    ['a class in Python', row('old'), own(), []],
    [
      'a class in Python and no prompt',
      row('old', {}),
      own(),
      [/^error custom-task: “Old” in custom_tasks\.py:5 has no _get_goal_description\(\)/],
    ],
    [
      'a name that is registered twice',
      row('copy-note'),
      own({ doubles: [one('copy-note', { file: '/tasks/b.py', python: true })[1]] }),
      [/^error custom-task: “copy-note” is registered twice: in cards.functions.ts:5 and in b.py:5. Rename one/],
    ],
    ['no name', row(undefined), own(), [/^error custom-task: "task_name" names a custom task/]],
    ['a name that is no text', row(3), own(), [/not 3$/]],
    [
      'another page',
      row('copy-note', { prompt: 'x', start_url: 'a.html' }),
      own(),
      [/^warning benchmark-start: A custom/],
    ],
  ] as const)('%s', (_, text, around, expected) => {
    const found = listFindings(text, around);
    expect(found.length).toBe(expected.length);
    for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern);
  });

  it('are the same for a row in the form of OpenEnv', () => {
    const text = JSON.stringify({ instruction: 'Do it', benchmark: 'custom', task_name: 'sort-card' });
    expect(listFindings(text)[0]).toMatch(/^error custom-task: No custom task “sort-card”/);
  });
});

describe('typing the name of a custom task', () => {
  it('offers registered names', async () => {
    const text = '{"gym": {"type": "browsergym", "benchmark": "custom", "task_name": "|"}}';
    expect(await labels('/tasks/a.task.json', text, { own: own() })).toEqual([
      'sort-cards',
      'copy-note',
      'no-html',
      'old',
    ]);
    expect(await labels('/tasks/a.task.json', text)).toEqual([]);
  });

  it('shows the comment of the class', () => {
    const { text, offset } = atMark(row('sort-|cards'));
    const found = hover(readTasks('/tasks/a.task.json', text), new Lines(text).position(offset), own());
    expect(found?.text).toMatch(
      /\*\*sort-cards\*\*: `class Cards`\n\nSort the cards\.\n\nDefined in `cards.functions.ts`/,
    );
  });

  it.each([
    ['in gym', row('sort-|cards')],
    ['in OpenEnv’s form', '{"benchmark": "custom", "task_name": "sort-ca|rds", "instruction": "x"}'],
  ])('leads to the class, %s', (_, marked) => {
    const { text, offset } = atMark(marked);
    const target = targetAt(readTasks('/tasks/a.task.json', text), own(), new Lines(text).position(offset));
    expect(target).toMatchObject({ kind: 'user', signature: { file: '/tasks/cards.functions.ts', class: 'Cards' } });
  });

  it('has no definition for MiniWoB++', () => {
    const { text, offset } = atMark(row('sort-|cards').replace('custom', 'miniwob'));
    expect(targetAt(readTasks('/tasks/a.task.json', text), own(), new Lines(text).position(offset))).toBeUndefined();
  });
});
