import type * as vscode from 'vscode';
import type { JobPlan } from '../../runs/job/job-file.ts';
import { settings } from '../settings.ts';

/** The limits of runs that the settings for a file set. */
export function limitsOf(about: vscode.Uri): Partial<JobPlan> {
  const [steps, evaluate, whole] = [
    settings.maxSteps(about),
    settings.evaluateTimeoutMs(about),
    settings.runTimeoutMs(about),
  ];
  return {
    ...(steps === undefined ? {} : { max_steps: steps }),
    ...(evaluate === undefined ? {} : { evaluate_timeout_ms: evaluate }),
    ...(whole === undefined ? {} : { timeout_ms: whole }),
    ...(settings.maskSensitive(about) ? { mask: true } : {}),
  };
}
