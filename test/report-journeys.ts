import { afterEach, beforeEach } from 'vitest';
import { NotRun } from './journeys/failed-steps.ts';
import { failedSteps, openWindows } from './journeys/window.ts';
import { reportOf } from './journeys/window-report.ts';

beforeEach(() => failedSteps.check(openWindows));

// What the windows show tells why a journey failed on a machine whose screenshots nobody sees.
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  // The window is reported where the step failed that this one needed.
  if (task.result.errors?.some(({ name }) => name === NotRun.name)) return;
  failedSteps.add(task.name, openWindows);
  for (const { page, errors } of openWindows) {
    console.log(`The window after “${task.name}” failed:\n${await reportOf(page, errors)}`);
  }
});
