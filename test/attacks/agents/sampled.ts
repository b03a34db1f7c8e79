import fc from 'fast-check';
import { caseCount } from '../../sample.ts';
import type { Attack } from './corpus/attack.ts';

/** All attacks in the long run; else some that are not slow, in their order, the same in each run with one seed. */
export function sampled(attacks: readonly Attack[], count: number): readonly Attack[] {
  const quick = attacks.filter(({ slow }) => slow !== true);
  const wanted = Math.min(caseCount(count, attacks.length), attacks.length);
  if (wanted === attacks.length) return attacks;
  if (wanted >= quick.length) return quick;
  const seed = fc.readConfigureGlobal()?.seed ?? 0;
  const [chosen = []] = fc.sample(fc.shuffledSubarray([...quick], { minLength: wanted, maxLength: wanted }), {
    numRuns: 1,
    seed,
  });
  return quick.filter((attack) => chosen.includes(attack));
}
