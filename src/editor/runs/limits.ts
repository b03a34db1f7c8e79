import type * as vscode from 'vscode';
import type { JobPlan } from '../../traces/job-file.ts';
import { settings } from '../settings.ts';

/** The limits of runs that the settings for a file set. Masking applies to all runs of a job: `others` are its other files. */
export function limitsOf(resource: vscode.Uri, others: readonly vscode.Uri[] = []): Partial<JobPlan> {
  const [steps, evaluate, runTimeout] = [
    settings.maxSteps(resource),
    settings.evaluateTimeoutMs(resource),
    settings.runTimeoutMs(resource),
  ];
  return {
    ...(steps === undefined ? {} : { max_steps: steps }),
    ...(evaluate === undefined ? {} : { evaluate_timeout_ms: evaluate }),
    ...(runTimeout === undefined ? {} : { timeout_ms: runTimeout }),
    ...([resource, ...others].some((file) => settings.maskSensitive(file)) ? { mask: true } : {}),
  };
}
