import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { installServer } from '../../scripts/vscode-server-install.ts';
import { colour, grammarsOf, ours, snapshotOf } from '../unit/grammars/grammars.ts';

const NAME = 'entity.name.function.taskwright';
const SELECTOR = 'entity.other.attribute-name';

let grammars: Awaited<ReturnType<typeof ours>>;

beforeAll(async () => {
  const { folder } = await installServer(() => {});
  const theirs = ['json', 'yaml', 'python'].map((name) => grammarsOf(join(folder, 'extensions', name)));
  grammars = [...(await Promise.all(theirs)).flat(), ...(await ours())];
});

it.each([
  ['calls.json', 'source.json'],
  ['calls.jsonl', 'source.json.lines'],
  ['calls.yaml', 'source.yaml'],
  ['calls.py', 'source.python'],
])("Colours: names of functions and selectors stand out in %s, on VS Code's own grammar", async (name, scope) => {
  const { snapshot } = await colour(grammars, scope, name);
  expect(snapshot).toContain(NAME);
  await expect(snapshot).toMatchFileSnapshot(snapshotOf(name));
});

it('Colours: the words of calls and nothing else', async () => {
  const json = await colour(grammars, 'source.json', 'calls.json');
  expect(json.words(SELECTOR)).toEqual(['#receipt > b', '#email', '#accept']);
  expect(json.words('invalid')).toEqual([]);
  const yaml = await colour(grammars, 'source.yaml', 'calls.yaml');
  expect(yaml.words(NAME)).toEqual([
    'goto',
    'click',
    'done_items',
    'page_contains',
    'text_matches',
    'check_url_contains',
    'url_contains',
  ]);
  expect(yaml.words(SELECTOR)).toEqual(['#accept-cookies', '#a b']);
  const python = await colour(grammars, 'source.python', 'calls.py');
  const names = ['goto', 'click', 'text_matches', 'page_contains', 'browser.maximize', 'page_contains', 'response_is'];
  expect(python.words(NAME)).toEqual(names);
  expect(python.words(SELECTOR)).toEqual(['#accept', '#receipt']);
});

it('Colours: other JSON files look as they did', async () => {
  const theirs = grammars.filter(({ scopeName }) => !scopeName.startsWith('taskwright.'));
  const without = await colour(theirs, 'source.json', 'other.json');
  expect((await colour(grammars, 'source.json', 'other.json')).snapshot).toBe(without.snapshot);
});
