import { environmentKind } from '../environments/kinds.ts';
import type { ValueFix } from '../tasks/change.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';

/** The most likely evaluate call in an environment, with a placeholder argument; undefined if this version runs none. */
export function evaluateFor(environment: EnvironmentSpec): (ValueFix & { readonly placeholder: string }) | undefined {
  const environmentAnswer = environmentKind(environment);
  if ('unsupported' in environmentAnswer) return undefined;
  const [call] = environmentAnswer.kind.suggestedCalls;
  const [placeholder] = call?.args ?? [];
  if (call === undefined || placeholder === undefined) return undefined;
  return {
    title: `Add an evaluate call: ${call.function}`,
    changes: [{ set: ['evaluate'], value: [call.function, ...call.args] }],
    placeholder,
  };
}
