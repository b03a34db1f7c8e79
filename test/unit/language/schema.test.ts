import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { getLanguageService, type JSONSchema, TextDocument } from 'vscode-json-languageservice';
import { parse } from 'yaml';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { taskFileSchema } from '../../../src/language/schema/task-file.ts';
import { SET_KEYS, TASK_KEYS } from '../../../src/language/typing/keys.ts';
import { readTasks } from '../../../src/tasks/read.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const service = getLanguageService({});
const schema = taskFileSchema() as JSONSchema;

/** What an editor with the schema says of a file that holds the value: the marked text and the message. */
async function listErrors(value: unknown): Promise<string[]> {
  const document = TextDocument.create('file:///x.tasks.json', 'json', 1, JSON.stringify(value, null, 2));
  const diagnostics = await service.doValidation(document, service.parseJSONDocument(document), {}, schema);
  return diagnostics.map(({ range, message }) => `${document.getText(range)}: ${message}`);
}

it('equals the file in schemas/, which `npm run build` writes', async () => {
  const written = JSON.parse(await readFile(join(root, 'schemas', 'task-file.schema.json'), 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(taskFileSchema())));
});

it.each([
  ['task', TASK_KEYS['0.2']],
  ['task-0.4', TASK_KEYS['0.4']],
  ['task-0.5', TASK_KEYS['0.5']],
  ['task-0.6', TASK_KEYS['0.6']],
  ['set', SET_KEYS],
])('describes every key of a %s as hover does', (name, keys) => {
  const { $schema: _, ...described } = schema.definitions?.[name]?.properties ?? {};
  expect(Object.keys(described).sort()).toEqual(Object.keys(keys).sort());
  for (const [key, { doc }] of Object.entries(keys)) {
    expect((described[key] as JSONSchema).description, key).toContain(doc);
  }
});

it('accepts every example', async () => {
  const files = (await readdir(join(root, 'examples'), { recursive: true })).filter((name) =>
    /\.(task|tasks|taskset)\.(json|jsonl|yaml)$/.test(name),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const name of files) {
    const text = await readFile(join(root, 'examples', name), 'utf8');
    const rows = name.endsWith('.jsonl') ? text.trim().split('\n') : [text];
    for (const row of rows) expect(await listErrors(parse(row)), name).toEqual([]);
  }
});

it('accepts what the models of HUD 0.2 accept, except keys that they ignore', async () => {
  const rows = await readFile(join(root, 'test', 'fixtures', 'hud', 'task-0.2.10.jsonl'), 'utf8');
  let count = 0;
  for (const line of rows.trim().split('\n')) {
    const row = JSON.parse(line) as { model: string; case: string; in: unknown; error?: unknown };
    if (row.model !== 'Task' || row.error !== undefined) continue;
    if (/extra|legacy/.test(row.case)) continue;
    expect(await listErrors(row.in), row.case).toEqual([]);
    count += 1;
  }
  expect(count).toBeGreaterThan(8);
});

it.each([
  ['a name', 'browser.maximize'],
  ['one call as a list', ['page_contains', 'a']],
  ['one call as an object', { function: 'page_contains', args: [['a', 'b']] }],
  ['a lone argument without its list', { function: 'page_contains', args: 'a' }],
  ['a list of objects', [{ function: 'history_length', args: [{ min: 2 }], metadata: { weight: 2 } }]],
  ['a list of lists', [['cookie_match', 'a', 'b'], ['cookie_match', ['a', 'b']], 'sheet_contains']],
  ['a function of one’s own', { function: 'mine', args: [1, { deep: [null] }] }],
  ['a name of HUD’s samples', ['cookies_exist', ['a']]],
  ['no calls', []],
  ['null', null],
])('accepts calls as HUD reads them: %s', async (_, evaluate) => {
  expect(await listErrors({ prompt: 'p', gym: 'hud-browser', evaluate })).toEqual([]);
});

const server = { local: { command: 'docker', args: ['run', '--rm', '-i', 'image:latest'] } };
const tool = { name: 'evaluate', arguments: { target: 3 } };

it.each([
  ['0.4', { prompt: 'p', mcp_config: server }],
  ['0.4', { prompt: 'p', mcp_config: server, evaluate_tool: tool, setup_tool: [tool], agent_config: { any: 1 } }],
  ['0.4', { prompt: '', mcp_config: '{"hud": {"url": "http://x"}}', setup_tool: { setup: tool }, metadata: '{}' }],
  ['0.5', { env: { name: 'org/blank' }, scenario: 'count-to', args: { target: 3 }, slug: 'count-3' }],
  ['0.5', { env: null, scenario: 's', args: null, columns: { hard: true } }],
  ['0.6', { env: 'e', id: 't' }],
  ['0.6', { env: 'e', id: 't', args: { a: [1, null] }, slug: 's', verifier: { env: 'e2', id: 'v' } }],
  ['0.6', { env: 'e', id: 't', runtime_config: { resources: { gpu: { type: ['A100', 'H100'] } } } }],
])('accepts rows of HUD %s: %j', async (_, row) => {
  expect(await listErrors(row)).toEqual([]);
  expect(await listErrors([row])).toEqual([]);
  expect(await listErrors({ $schema: './task-file.schema.json', name: 'n', tasks: [row] })).toEqual([]);
});

it('accepts a task that names its schema, and one whose environment gives the goal', async () => {
  const row = { $schema: 'task-file.schema.json', prompt: 'p', gym: 'qa', evaluate: ['response_is', 'a'] };
  for (const file of [row, { $schema: 'task-file.schema.json', tasks: [row] }]) {
    expect(await listErrors(file)).toEqual([]);
    expect(diagnose(readTasks('/a.tasks.json', JSON.stringify(file)), new Map())).toEqual([]);
  }
  expect(await listErrors({ gym: { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' } })).toEqual([]);
});

it('rejects a set whose tasks are not a list, with that reason', async () => {
  const [problem] = await listErrors({ name: 'n', tasks: good });
  expect(problem).toContain('Incorrect type. Expected "array"');
});

const good = { prompt: 'p', gym: 'hud-browser', evaluate: ['page_contains', 'a'] };

it.each([
  ['a key that nothing reads', { ...good, evalute: [] }, 'evalute'],
  ['no prompt', { gym: 'qa', evaluate: ['response_is', 'a'] }, 'prompt'],
  ['an environment that is none', { ...good, gym: 'hud-browsr' }, 'hud-browsr'],
  ['an argument too few', { ...good, evaluate: ['page_contains'] }, 'too few items'],
  ['an argument too many', { ...good, evaluate: { function: 'url_contains', args: ['a', 'b'] } }, 'too many items'],
  ['an argument of another type', { ...good, evaluate: [{ function: 'url_contains', args: [7] }] }, '7'],
  ['an argument of another type in a list', { ...good, setup: ['goto', 7] }, '7'],
  ['a key of a call that nothing reads', { ...good, evaluate: [{ function: 'mine', arg: [] }] }, 'arg'],
  ['no weight at all', { ...good, evaluate: { function: 'mine', args: [], metadata: { weight: 0 } } }, '0'],
  ['a way to combine that is none', { ...good, metadata: { combine: 'some' } }, 'some'],
  ['half a step', { ...good, max_steps: 1.5 }, '1.5'],
  ['local storage with numbers', { ...good, local_storage: { cart: 3 } }, '3'],
  ['a key of the state that nothing reads', { ...good, initial_state: { url: 'x' } }, 'url'],
  ['0.4 without a prompt', { mcp_config: {} }, 'prompt'],
  ['0.5 with an environment by name', { env: 'e', scenario: 's' }, 'object'],
  ['0.6 with null arguments', { env: 'e', id: 't', args: null }, 'null'],
  [
    '0.6 with a verifier of a verifier',
    { env: 'e', id: 't', verifier: { env: 'e', id: 'v', verifier: {} } },
    'verifier',
  ],
  ['0.6 with an unknown resource', { env: 'e', id: 't', runtime_config: { memory: 4 } }, 'memory'],
])('rejects %s, at its position', async (_, row, words) => {
  for (const file of [row, [good, row]]) {
    const problems = await listErrors(file);
    expect(problems.join('\n')).toContain(words);
    expect(problems.length).toBeLessThan(3);
  }
});
