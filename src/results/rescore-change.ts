import * as l10n from '@vscode/l10n';

/** How a value or a run changed. `calls`: only values of calls changed. `unknown`: its data is not in the recording. */
export type Change = 'up' | 'down' | 'new' | 'calls' | 'same' | 'error' | 'unknown';

interface Values {
  readonly old: number | null;
  readonly new: number | null;
}

interface CallValues extends Values {
  /** The call failed, in contrast to a call whose data is not in the recording. */
  readonly failed: boolean;
}

/** The change of a call's value. */
export function changeOfCall({ old, new: now, failed }: CallValues): Change {
  if (now === null) return failed ? 'error' : 'unknown';
  if (old === null) return 'new';
  if (Math.abs(now - old) <= 1e-9) return 'same';
  return now > old ? 'up' : 'down';
}

/** The change of a run's reward. */
export function changeOfRun({ old, new: now, calls }: Values & { readonly calls: readonly CallValues[] }): Change {
  const change = changeOfCall({ old, new: now, failed: calls.some(({ failed }) => failed) });
  if (change !== 'same') return change;
  return calls.some((call) => ['up', 'down', 'new'].includes(changeOfCall(call))) ? 'calls' : 'same';
}

/** `3 of 40 changed: 2 up, 1 down; 1 error; 2 cannot be re-scored from their recordings`. */
export function summarizeChanges(changes: readonly Change[], total = changes.length): string {
  const count = (change: Change): number => changes.filter((one) => one === change).length;
  const counts = { up: count('up'), down: count('down'), new: count('new'), calls: count('calls') };
  const details: string[] = [];
  if (counts.up > 0) details.push(l10n.t('{0} up', counts.up));
  if (counts.down > 0) details.push(l10n.t('{0} down', counts.down));
  if (counts.new > 0) details.push(l10n.t('{0} new', counts.new));
  if (counts.calls > 0) details.push(l10n.t('{0} with the same reward', counts.calls));
  const summary = l10n.t('{0} of {1} changed', counts.up + counts.down + counts.new + counts.calls, total);
  const parts = [details.length === 0 ? summary : `${summary}: ${details.join(', ')}`];
  const errors = count('error');
  const unknown = count('unknown');
  if (errors > 0) parts.push(errors === 1 ? l10n.t('1 error') : l10n.t('{0} errors', errors));
  if (unknown > 0) {
    parts.push(
      unknown === 1
        ? l10n.t('1 cannot be re-scored from its recording')
        : l10n.t('{0} cannot be re-scored from their recordings', unknown),
    );
  }
  return parts.join('; ');
}
