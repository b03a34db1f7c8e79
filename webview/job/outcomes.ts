import type { CellOutcome } from '../../src/presentation/jobs/messages.ts';
import type { IconName } from '../icons.ts';

/** The icon of a run's state; none while it is waiting, and a progress ring while it is running. */
export const OUTCOME_ICONS: Readonly<Record<CellOutcome, IconName | null>> = {
  waiting: null,
  running: null,
  pass: 'pass',
  partial: 'partial',
  fail: 'fail',
  none: 'none',
  error: 'error',
  cancelled: 'stopped',
  interrupted: 'warning',
};
