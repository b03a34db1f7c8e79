import { afterAll, beforeAll, describe, it } from 'vitest';
import { attempt, solve } from '../attacks/agents/attempt.ts';
import { KINDS, type Kind } from '../attacks/agents/corpus/attack.ts';
import { CORPUS } from '../attacks/agents/corpus/corpus.ts';
import { sampled } from '../attacks/agents/sampled.ts';
import { describeLong } from '../sample.ts';
import { imageTags, place, removeImages } from './harness.ts';

/** The images of custom environments go with the tests, each of which has its own. */
const CUSTOM = 'taskwright-custom-*';
let before: string[];
beforeAll(async () => {
  before = await imageTags(CUSTOM);
});
afterAll(async () => removeImages((await imageTags(CUSTOM)).filter((tag) => !before.includes(tag))));

/** What agents try in containers, where all of them lose, and then an honest agent. */
function attackIn(kind: Kind): void {
  const attacks = CORPUS.filter(({ kinds, localOnly }) => kinds.includes(kind) && localOnly !== true);
  it.each(sampled(attacks, 1))('$aim: an agent that $name loses', (attack) =>
    attempt(attack, kind, place().placement, ''),
  );

  it('and an honest agent solves the task', () => solve(kind, place().placement));
}

// Agents can do the most where they run commands.
describe('In containers, coding', () => attackIn('coding'));

// OpenEnv environments have images of their own, whose server no agent's process shares.
describeLong.each(KINDS.filter((kind) => kind !== 'openenv' && kind !== 'coding'))('In containers, %s', attackIn);
