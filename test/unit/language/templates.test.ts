import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import { readTemplates } from '../../../src/environments/hud/templates.ts';
import type { HudTemplate } from '../../../src/environments/hud-template.ts';
import type { UserFunctions } from '../../../src/environments/user-functions.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { hover } from '../../../src/language/typing/hover.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { CONNECTIONS, serveMethods } from '../environments/hud/recorded-server.ts';
import { atMark } from '../tasks/cursor.ts';
import { fixesOf } from './findings.ts';
import { accept, labels, listCompletions } from './typing.ts';

/** What hud 0.6.21 answered to `tasks.list`. */
const LISTED = CONNECTIONS.get('hello-manifest-list-bye A')?.find(
  ({ dir, frame }) => dir === 's2c' && JSON.stringify(frame).includes('"tasks"'),
)?.frame?.['result'] as unknown as { readonly tasks: readonly HudTemplate[] };

function around(templates: readonly HudTemplate[] = LISTED.tasks): UserFunctions {
  return Object.assign(new Map(), {
    templatesOf: ({ env }: { readonly env?: Json }) => (env === 'lab' ? templates : undefined),
  });
}

function listFindings(text: string, file = '/a.task.json'): string[] {
  const lines = new Lines(text);
  return diagnose(readTasks(file, text), around())
    .filter(({ code }) => code !== 'python-not-literal')
    .map(({ severity, range, message, ...rest }) => {
      const fixes = fixesOf({ severity, range, message, ...rest });
      const at = text.slice(lines.offset(range.start), lines.offset(range.end));
      return `${severity} ${at}: ${message}${fixes.length === 0 ? '' : ` [${fixes.join()}]`}`;
    });
}

const row = (id: string, args?: Json, env = 'lab') =>
  JSON.stringify({ env, id, ...(args === undefined ? {} : { args }) });

it('reads the templates from the server, and leaves it', async () => {
  const asked: string[] = [];
  const { address } = await serveMethods((method) => {
    asked.push(method);
    return { result: method === 'tasks.list' ? (LISTED as unknown as Json) : {} };
  });
  const templates = await readTemplates(address);
  expect(templates.map(({ id }) => id)).toEqual(LISTED.tasks.map(({ id }) => id));
  expect(templates[0]).toEqual(LISTED.tasks[0]);
  expect(asked).toEqual(['hello', 'tasks.list', 'bye']);
});

describe('findings by the templates of the environment', () => {
  it.each([
    [
      'a template that is not there',
      row('coun'),
      ['error coun: The environment “lab” has no template “coun”. Did you mean “count”? ["count"]'],
    ],
    [
      'an argument that is not there',
      row('count', { wrd: 'abc' }),
      ['error wrd: “wrd” is not an argument of the template count(word, letter). Did you mean “word”? ["word"]'],
    ],
    [
      'a missing argument',
      row('required_arg', {}),
      ['error {}: The template required_arg(word) requires the argument “word”'],
    ],
    [
      'a missing argument without arguments',
      row('required_arg'),
      ['error required_arg: The template required_arg(word) requires the argument “word”'],
    ],
    [
      'a value of another type',
      row('count', { word: 5 }),
      ['warning 5: count(word, letter): “word”: expected string, received number. HUD passes the value as it is'],
    ],
    [
      'a value in an object',
      row('typed', { i: 1, opts: { n: 'x' } }),
      [
        'warning x: typed(i, f, b, s, l, d, o, m, opts, anything): “opts”: “n”: expected number, received string. HUD passes the value as it is',
      ],
    ],
    [
      'one of a choice',
      row('typed', { i: 1, m: 'c' }),
      [
        'warning c: typed(i, f, b, s, l, d, o, m, opts, anything): “m”: expected one of "a"|"b". HUD passes the value as it is',
      ],
    ],
  ])('%s', (_what, text, expected) => {
    expect(listFindings(text)).toEqual(expected);
  });

  it.each([
    ['what HUD converts', row('typed', { i: '3', f: '0.5', b: 1, l: '[1, 2]', d: '{"x": 1}', opts: '{"n": 4}' })],
    ['other booleans and numbers', row('typed', { i: true, b: 'yes', f: 1 })],
    ['any argument of **kwargs', row('kwargs_task', { y: 'z' })],
    ['an environment that is not known', row('coun', { wrd: 1 }, 'other')],
  ])('nothing about %s', (_what, text) => {
    expect(listFindings(text)).toEqual([]);
  });

  it('warnings only for an environment at an address, which can have changed', () => {
    const at = 'tcp://127.0.0.1:8765';
    const own = Object.assign(new Map(), { templatesOf: () => LISTED.tasks });
    const text = row('count', { wrd: 1 }, at);
    expect(diagnose(readTasks('/a.task.json', text), own).map(({ severity }) => severity)).toEqual(['warning']);
  });

  it('in YAML, and at the arguments of a call in Python', async () => {
    expect(
      listFindings('- env: lab\n  id: count\n  args: {wrd: abc}\n', '/a.tasks.yaml').filter((one) =>
        one.startsWith('error'),
      ),
    ).toEqual(['error wrd: “wrd” is not an argument of the template count(word, letter). Did you mean “word”? [word]']);
    await prepareToRead('/tasks.py');
    const code = (call: string) =>
      `from hud import Environment\n\nenv = Environment(name="lab")\n\n\n@env.template()\nasync def count(word: str = "x", letter: str = "r"):\n    yield "p"\n    yield 1.0\n\n\nWORD = input()\ntasks = [${call}]\n`;
    expect(listFindings(code('count(wrd="abc")'), '/tasks.py')).toEqual([
      'error wrd: “wrd” is not an argument of the template count(word, letter). Did you mean “word”? [word]',
    ]);
    expect(listFindings(code('count(word=5)'), '/tasks.py')).toEqual([
      'warning 5: count(word, letter): “word”: expected string, received number. HUD passes the value as it is',
    ]);
    expect(listFindings(code('count(word=WORD)'), '/tasks.py')).toEqual([]);
    expect(await labels('/tasks.py', code('count(|)'), { own: around() })).toEqual(['word', 'letter']);
  });
});

describe('typing by the templates of the environment', () => {
  const own = around();

  it('offers the templates with their arguments', async () => {
    const items = await listCompletions('/a.task.json', '{"env": "lab", "id": "|"}', { own });
    expect(items).toHaveLength(LISTED.tasks.length);
    expect(items.find(({ label }) => label === 'count')).toMatchObject({
      detail: 'count(word?, letter?)',
      doc: 'Count letters',
    });
    expect(await labels('/a.task.json', '{"env": "other", "id": "|"}', { own })).toEqual([]);
  });

  it('offers arguments that are not there yet, the required ones first, and their values', async () => {
    expect(await labels('/a.task.json', '{"env": "lab", "id": "count", "args": {"word": "x", |}}', { own })).toEqual([
      'letter',
    ]);
    expect((await labels('/a.task.json', '{"env": "lab", "id": "typed", "args": {|}}', { own }))[0]).toBe('i');
    expect(await labels('/a.task.json', '{"env": "lab", "id": "typed", "args": {"m": |}}', { own })).toEqual([
      'a',
      'b',
    ]);
    expect(await labels('/a.task.json', '{"env": "lab", "id": "typed", "args": {"b": |}}', { own })).toEqual([
      'true',
      'false',
    ]);
    expect(await labels('/a.task.json', '{"env": "lab", "id": "typed", "args": {"opts": {|}}}', { own })).toEqual([
      'n',
      'tag',
    ]);
    expect(await accept('/a.tasks.yaml', '- env: lab\n  id: count\n  args: {w|}\n', 'word', { own })).toContain(
      'args: {word: ',
    );
    expect(await labels('/a.task.json', '{"env": "lab", "id": "typed", "args": |}', { own })).toEqual(['{ i }']);
  });

  it('describes a template and its arguments', () => {
    const shown = (marked: string) => {
      const { text, offset } = atMark(marked);
      return hover(readTasks('/a.task.json', text), new Lines(text).position(offset), own)?.text;
    };
    expect(shown('{"env": "lab", "id": "co|unt"}')).toBe('```python\ncount(word?, letter?)\n```\n\nCount letters');
    expect(shown('{"env": "lab", "id": "count", "args": {"wo|rd": "x"}}')).toBe(
      '**word**: string\n\nWord. Default: `"strawberry"`.\n\n```json\n"word": "strawberry"\n```',
    );
    expect(shown('{"env": "lab", "id": "typed", "args": {"m|": "a"}}')).toContain('**m**: `a`, `b`');
    const returns = { type: 'object', properties: { x: { type: 'integer' } } };
    const answering = around([{ id: 'point', description: '', args: {}, returns }]);
    const { text, offset } = atMark('{"env": "lab", "id": "po|int"}');
    expect(hover(readTasks('/a.task.json', text), new Lines(text).position(offset), answering)?.text).toContain(
      `The answer is JSON:\n\`\`\`json\n${JSON.stringify(returns, null, 2)}`,
    );
  });
});
