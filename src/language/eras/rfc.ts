import { isObject } from '../../tasks/calls.ts';
import { STATE_KEYS } from '../../tasks/era.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { Json } from '../../tasks/task.ts';
import { unknownKeys } from './known-keys.ts';

/** What the RFC "Generic Task Support" adds to a task; it may stand in a task of HUD 0.2 too. */
export function rfcProblems(row: Readonly<Record<string, Json>>): Problem[] {
  const state = row['initial_state'];
  return isObject(state) ? unknownKeys(state, STATE_KEYS, ['initial_state']) : [];
}
