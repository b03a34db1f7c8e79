import type * as vscode from 'vscode';
import type { JobPlan } from '../../traces/job-file.ts';
import type { RunLimits } from '../../traces/limits.ts';
import { settings } from '../settings.ts';

/** The settings for the runs of a job. All are masked if one of its files requires it. `others`: its other files. */
export function planSettings(
  resource: vscode.Uri,
  others: readonly vscode.Uri[] = [],
): Pick<JobPlan, 'mask' | keyof RunLimits> {
  const mask = [resource, ...others].some((file) => settings.maskSensitive(file));
  return { ...settings.limits(resource), ...(mask ? { mask } : {}) };
}
