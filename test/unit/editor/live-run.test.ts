import { expect, it } from 'vitest';
import { LiveRun } from '../../../src/editor/runs/live-run.ts';
import type { RunRecord } from '../../../src/traces/trace.ts';
import { task } from '../runs/tasks.ts';

it('a run keeps the errors of its earlier attempts', () => {
  const manual = { foreground: true, manualInput: null };
  const run = new LiveRun({ task: task({}), agent: 'noop', seed: 0, runtime: 'local', ...manual });
  run.handle({ type: 'phase', phase: 'agent' });
  expect(run.retried).toEqual([]);

  const crash = { message: 'the browser crashed', code: 'browser_crashed' };
  run.handle({ type: 'retry', error: crash });
  expect(run.retried).toEqual([crash]);
  expect(run.phase).toBe('starting environment');

  const record = { status: 'completed', retried: [crash] } as unknown as RunRecord;
  run.handle({ type: 'ended', record });
  expect(run.retried).toEqual([crash]);
});
