import * as l10n from '@vscode/l10n';

export const RUN_STATUSES = ['completed', 'error', 'cancelled', 'interrupted'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The word for a run's status. */
export function statusWord(status: RunStatus): string {
  switch (status) {
    case 'completed':
      return l10n.t('completed');
    case 'error':
      return l10n.t('error');
    case 'cancelled':
      return l10n.t('cancelled');
    case 'interrupted':
      return l10n.t('interrupted');
  }
}
