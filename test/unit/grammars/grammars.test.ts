import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { BROWSERGYM_FUNCTIONS } from '../../../src/actions/signatures.ts';
import { builtins } from '../../../src/functions/catalogue.ts';
import { colour, ours, snapshotOf } from './grammars.ts';

it('colours the actions, selectors and comments of a solution', async () => {
  const { snapshot, words } = await colour(await ours(), 'source.taskwright.actions', 'solution.actions');
  expect(words('entity.other.attribute-name')).toEqual(
    expect.arrayContaining(['#ok', 'a51', '#buy > button', '#name', '#a', '"#ok"']),
  );
  expect(words('string.unquoted')).toEqual([' Ada', 'https://example.com/a,b', 'Enter', 'down']);
  await expect(snapshot).toMatchFileSnapshot(snapshotOf('solution.actions'));
});

it('knows which actions begin with an element', async () => {
  const wanted = Object.entries(BROWSERGYM_FUNCTIONS)
    .filter(([, parameters]) => /bid$/.test(parameters[0]?.name ?? ''))
    .map(([name]) => name);
  const [actions] = (await ours()).filter(({ injectTo }) => injectTo === undefined);
  const text = await readFile(actions?.path ?? '', 'utf8');
  expect(text).toContain(`(${wanted.sort().join('|')})`);
});

it('knows which functions begin with a selector', async () => {
  const wanted = builtins.filter(({ parameters }) => parameters[0] === 'selector').map(({ name }) => name);
  const names = wanted.sort().join('|');
  for (const grammar of (await ours()).filter(({ injectTo }) => injectTo !== undefined)) {
    const text = await readFile(grammar.path, 'utf8');
    const lists = new Set(
      [...text.matchAll(/\b[a-z_]+(?:\|[a-z_]+){3,}/g)].map(([list]) => list.split('|').sort().join('|')),
    );
    expect([...lists], grammar.path).toEqual([names]);
  }
});
