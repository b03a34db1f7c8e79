import { environmentKind } from '../environments/kinds.ts';
import type { ValueFix } from '../tasks/change.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';

/** The most likely check in an environment, with a placeholder argument; undefined if this version runs none. */
export function evaluateFor(environment: EnvironmentSpec): (ValueFix & { readonly placeholder: string }) | undefined {
  const found = environmentKind(environment);
  if ('unsupported' in found) return undefined;
  const [check] = found.kind.checks;
  const [placeholder] = check?.args ?? [];
  if (check === undefined || placeholder === undefined) return undefined;
  return {
    title: `Add an evaluate call: ${check.function}`,
    changes: [{ set: ['evaluate'], value: [check.function, ...check.args] }],
    placeholder,
  };
}
