import type { ActionInput } from './action.ts';

/** Keys with the name of an action, the likeliest first. */
const NAMING = ['type', 'action', 'action_type', 'tool_name', 'name', 'command'];

/** One word for an action object: CLA's `type`, or the name of an action in the environment's own form. */
export function verbOfObject(action: Exclude<ActionInput, string>): string {
  if (action['type'] === 'call_tool' && typeof action['tool_name'] === 'string') return action['tool_name'];
  for (const key of NAMING) {
    const value = action[key];
    if (typeof value === 'string' && /^[\w.-]{1,40}$/.test(value)) return value;
  }
  return Object.keys(action)[0] ?? 'action';
}
