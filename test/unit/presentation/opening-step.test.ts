import { expect, test } from 'vitest';
import { openingStep } from '../../../src/presentation/runs/opening-step.ts';
import type { Step } from '../../../src/traces/trace.ts';

const origin = { line: 0, character: 0 };
const call = { function: 'page_contains', args: [], range: { start: origin, end: origin } };

function steps(...given: readonly Partial<Step>[]): readonly Step[] {
  return given.map((one, index) => ({ error: null, reward: null, ...one, index }) as Step);
}

test('an ended run opens with the first evaluate call that failed', () => {
  const run = steps(
    { source: 'setup', call },
    { source: 'agent', reward: 0 },
    { source: 'evaluate', call, reward: 1 },
    { source: 'evaluate', call, reward: 0.5 },
    { source: 'evaluate', call, reward: 0 },
  );
  expect(openingStep(run as never)).toBe(3);
});

test('an ended run opens with a setup call that threw', () => {
  const run = steps({ source: 'setup', call, error: { message: 'It threw.' } as never }, { source: 'agent' });
  expect(openingStep(run)).toBe(0);
});

test('an ended run without a failed call opens with the last step of the agent', () => {
  const run = steps(
    { source: 'setup', call },
    { source: 'agent' },
    { source: 'agent', error: { message: 'No such element.' } as never },
    { source: 'evaluate', call, reward: 1 - 1e-12 },
  );
  expect(openingStep(run)).toBe(2);
  expect(openingStep(steps({ source: 'system' }))).toBeNull();
});
