import { describe, it } from 'vitest';
import { attempt, solve } from '../attacks/agents/attempt.ts';
import { CORPUS, KINDS } from '../attacks/agents/corpus.ts';
import { sampled } from '../attacks/agents/sampled.ts';
import { place } from './harness.ts';

describe.each(KINDS)('In containers, %s', (kind) => {
  const attacks = CORPUS.filter(({ kinds, localOnly }) => kinds.includes(kind) && localOnly !== true);
  it.each(sampled(attacks, 5))('$aim: an agent that $name loses', (attack) =>
    attempt(attack, kind, place().placement, ''),
  );

  it('and an honest agent solves the task', () => solve(kind, place().placement));
});
