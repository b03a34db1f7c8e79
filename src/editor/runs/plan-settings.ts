import type * as vscode from 'vscode';
import type { JobPlan } from '../../traces/job-file.ts';
import type { RunLimits } from '../../traces/limits.ts';
import { settings } from '../settings.ts';

/** What the settings for a file say about the runs of a job. Masking applies to all of them: `others` are its other files. */
export function planSettings(
  resource: vscode.Uri,
  others: readonly vscode.Uri[] = [],
): Pick<JobPlan, 'mask' | keyof RunLimits> {
  const mask = [resource, ...others].some((file) => settings.maskSensitive(file));
  return { ...settings.limits(resource), ...(mask ? { mask } : {}) };
}
