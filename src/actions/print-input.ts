import type { ActionInput } from './action.ts';

/** The actions of an answer as agents give them: action strings as they are, objects as JSON. */
export function printInputs(input: ActionInput | readonly ActionInput[]): string[] {
  const inputs: readonly ActionInput[] = Array.isArray(input) ? input : [input as ActionInput];
  return inputs.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}
