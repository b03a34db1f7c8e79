/** The origin of runs that Taskwright made; that of others is the format of their file. */
export const RECORDED = 'recorded';

/** Whether another program made a run. A run in progress has no origin yet. */
export function isImported({ origin }: { readonly origin?: string }): boolean {
  return origin !== undefined && origin !== RECORDED;
}
