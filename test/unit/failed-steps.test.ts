import { describe, expect, it } from 'vitest';
import { FailedSteps } from '../journeys/failed-steps.ts';

describe('the failed steps of windows', () => {
  const [first, second] = [{}, {}];

  it('keep the later steps in the same window from being run, and name the first one that failed', () => {
    const steps = new FailedSteps();
    expect(() => steps.check([first, second])).not.toThrow();
    steps.add('open the file', [first]);
    steps.add('run the task', [first]);
    expect(() => steps.check([second, first])).toThrow('not run: the step “open the file” failed before');
    expect(() => steps.check([second])).not.toThrow();
    expect(() => steps.check([])).not.toThrow();
  });

  it('are forgotten with their window', () => {
    const steps = new FailedSteps();
    steps.add('open the file', [first, second]);
    steps.forget(first);
    expect(() => steps.check([first])).not.toThrow();
    expect(() => steps.check([second])).toThrow('not run');
  });
});
