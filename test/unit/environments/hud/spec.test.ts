import { expect, it } from 'vitest';
import { readHud } from '../../../../src/environments/hud/spec.ts';

it.each([
  [60, 60_000],
  ['1.5', 1_500],
  [1e10, 2 ** 31 - 1],
  [0.0005, 1],
])('an environment that may take %s s to start has a time limit that timers take', (startup_timeout_s, startMs) => {
  const runtime_config = { limits: { startup_timeout_s } };
  expect(readHud({ type: 'hud', name: 'env', template: 't', runtime_config })).toMatchObject({ startMs });
});
