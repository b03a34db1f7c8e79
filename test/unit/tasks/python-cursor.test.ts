import { beforeAll, describe, expect, it } from 'vitest';
import { prepareToRead } from '../../../src/tasks/read.ts';
import { cursorAt, inShort } from './cursor.ts';

beforeAll(() => prepareToRead('tasks.py'));

const IMPORT = 'from hud import Task\n';

/** Each story in one line of Python. */
const STORIES: readonly (readonly [story: string, text: string, seen: string])[] = [
  ['an empty call asks for a key', 'Task(|)', 'key .'],
  ['a half-written key', 'Task(se|)', 'key . ‹se› before=se'],
  ['a key that has its separator only', 'Task(gym|=)', 'key . ‹gym› before=gym followed'],
  ['a whole key in front of its value', 'Task(se|tup=[])', 'key . ‹setup› before=se followed'],
  ['a key before others', 'Task(g| id="a")', 'key . ‹g› before=g comma-after'],
  ['room before the first key', 'Task(| id="a")', 'key . comma-after'],
  ['room after a comma', 'Task(id="a", |)', 'key .'],
  ['room after a value without its comma', 'Task(id="a" |)', 'key . comma-before=32'],
  ['a value that is missing', 'Task(gym=|)', 'value gym'],
  ['a value that is missing before a comma', 'Task(gym=|, id="a")', 'value gym'],
  ['a value that is missing before a key', 'Task(gym=| id="a")', 'value gym comma-after'],
  ['a value in its quotes', 'Task(gym="|")', 'value gym ‹""›'],
  ['a value in other quotes', "Task(gym='hu|')", "value gym ‹'hu'› before=hu"],
  ['a value in three quotes', 'Task(prompt="""a|b""")', 'value prompt ‹"""ab"""› before=a'],
  ['a value half written', 'Task(gym="hu|d")', 'value gym ‹"hud"› before=hu'],
  ['right before a value', 'Task(gym=|"hud")', 'value gym ‹"hud"›'],
  ['right behind a value', 'Task(gym="hud"|)', 'value gym ‹"hud"› before=hud'],
  ['a value without quotes', 'Task(gym=hu|)', 'value gym ‹hu› before=hu'],
  ['between a key and its separator', 'Task(gym | = "hud")', 'between gym'],
  ['between a separator and its value', 'Task(gym= | "hud")', 'between gym'],
  ['between a value and its comma', 'Task(gym="hud" | , id="a")', 'between .'],
  ['an empty tuple', 'Task(setup=(|))', 'value setup.0'],
  ['an empty list', 'Task(setup=[|])', 'value setup.0'],
  ['the first of a tuple', 'Task(setup=("go|", "x"))', 'value setup.0 ‹"go"› before=go'],
  ['the second of a tuple', 'Task(setup=("goto", "|"))', 'value setup.1 ‹""›'],
  ['room for the second of a tuple', 'Task(setup=("goto", |))', 'value setup.1'],
  ['a tuple in a list', 'Task(setup=[("goto", "u"), ("cl|",)])', 'value setup.1.0 ‹"cl"› before=cl'],
  ['behind an item that is complete', 'Task(setup=("goto", "a" |))', 'between setup.1'],
  ['an item without its comma', 'Task(setup=["a", b| "c"])', 'value setup.1 ‹b› before=b comma-after'],
  ['a key of a dictionary', 'Task(evaluate={"fu|"})', 'key evaluate ‹"fu"› before=fu'],
  ['a key after another', 'Task(evaluate={"function": "f", |})', 'key evaluate'],
  [
    'a value in a dictionary',
    'Task(evaluate={"function": "f|", "args": []})',
    'value evaluate.function ‹"f"› before=f',
  ],
  ['deep inside', 'Task(setup=[{"function": "goto", "args": ["a", {"b": "|"}]}])', 'value setup.0.args.1.b ‹""›'],
  ['an escape before the place', 'Task(prompt="a\\x62|c")', 'value prompt ‹"a\\x62c"› before=ab'],
  ['a string that has no end', 'Task(gym="hu|', 'value gym ‹"hu› before=hu'],
  ['a string that has no end, and more after it', 'Task(gym="hu|, max_steps=3)', 'value gym ‹"hu› before=hu'],
  ['the end of the text', 'Task(id="a", g|', 'key . ‹g› before=g'],
  ['the end of the text after a separator', 'Task(gym=|', 'value gym'],
  ['a dictionary that is spread', 'Task(**{"gym": "q|"})', 'value gym ‹"q"› before=q'],
  ['the name of the call', 'Ta|sk(id="a")', 'between .'],
];

describe('what is at a position in Python', () => {
  it.each(STORIES)('%s: %s', (_, text, seen) => {
    expect(inShort('/x/tasks.py', IMPORT + text)).toBe(seen);
  });

  it('line breaks of any kind do not matter', () => {
    for (const end of ['\n', '\r\n']) {
      const lines = [
        'from hud import Task',
        'tasks = [',
        '    Task(',
        '        id="a",',
        '        g|',
        '        setup=[],',
      ];
      expect(inShort('/x/tasks.py', [...lines, '    ),', ']'].join(end))).toBe('key . ‹g› before=g comma-after');
      const below = [
        'from hud import Task',
        't = Task(',
        '    setup=[',
        '        ("goto", "a")',
        '        |',
        '    ],',
        ')',
      ];
      expect(inShort('/x/tasks.py', below.join(end))).toMatch(/^value setup\.1 comma-before=/);
    }
  });

  it('a key of a call is written as an argument, a key of a dictionary is not', () => {
    expect(cursorAt('/x/tasks.py', `${IMPORT}Task(|)`)?.inCall).toBe(true);
    expect(cursorAt('/x/tasks.py', `${IMPORT}Task(evaluate={|})`)?.inCall).toBeUndefined();
  });

  it('finds the enclosing task, however broken it is', () => {
    expect(cursorAt('/x/tasks.py', `${IMPORT}Task(id="a", gym="hud-|", ev`)?.task).toEqual({ id: 'a', gym: 'hud-' });
  });

  it('is outside if there is no task', () => {
    expect(inShort('/x/tasks.py', `${IMPORT}x = |1\nTask(id="a")`)).toBe('outside');
  });

  it('the arguments of a template belong to the template', () => {
    const text = [
      'from hud import Environment',
      'env = Environment("e")',
      '@env.template()',
      'async def count(word: str): ...',
      'tasks = [count(wo|rd="x")]',
    ].join('\n');
    expect(inShort('/x/tasks.py', text)).toBe('key args ‹word› before=wo followed');
    expect(inShort('/x/tasks.py', text.replace('wo|rd="x"', '|'))).toBe('key args');
    expect(inShort('/x/tasks.py', text.replace('wo|rd="x"', 'wo|'))).toBe('key args ‹wo› before=wo');
    expect(inShort('/x/tasks.py', text.replace('wo|rd="x"', '"w|o"'))).toBe('value args.word ‹"wo"› before=w');
  });
});
