import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasOpenEnv } from '../../system/environments/openenv-server.ts';
import { placeForAll } from '../../system/server/harness.ts';
import { attempt, solve } from './attempt.ts';
import { AIMS, KINDS } from './corpus/attack.ts';
import { CORPUS } from './corpus/corpus.ts';
import { hostileSite } from './hostile-site.ts';
import { sampled } from './sampled.ts';

let site: Awaited<ReturnType<typeof hostileSite>>;
const { placement } = placeForAll();

beforeAll(async () => {
  site = await hostileSite();
});
afterAll(async () => {
  await placement.dispose();
  site.close();
});

it('The corpus has at least 40 agents, for every aim, every kind, and in both languages', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(CORPUS.map(({ name }) => name)).size).toBe(CORPUS.length);
  expect(new Set(CORPUS.map(({ aim }) => aim))).toEqual(new Set(AIMS));
  expect(new Set(CORPUS.flatMap(({ kinds }) => kinds))).toEqual(new Set(KINDS));
  expect(CORPUS.filter(({ python }) => python !== undefined).length).toBeGreaterThan(5);
});

const kinds = KINDS.filter((kind) => kind !== 'openenv' || hasOpenEnv);

describe.each(kinds)('On this machine, %s', (kind) => {
  const attacks = CORPUS.filter(({ kinds, dockerOnly }) => kinds.includes(kind) && dockerOnly !== true);
  it.each(sampled(attacks, 3))('$aim: an agent that $name loses', (attack) =>
    attempt(attack, kind, placement, site.url),
  );

  it('and an honest agent solves the task afterwards', () => solve(kind, placement));
});
