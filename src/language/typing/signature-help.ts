import type { Position } from '../../base/range.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { userFunctionsOf } from '../controller.ts';
import { callStringAt } from '../findings/call-string.ts';
import { parameterAt, parametersOf } from './parameters.ts';
import { valueContext } from './value-context.ts';

/** The function whose arguments are being typed. */
export interface SignatureHelp {
  /** `text_matches(selector, pattern)` */
  readonly label: string;
  readonly doc: string | null;
  /** As in the label. */
  readonly parameters: readonly string[];
  /** The parameter at the position; null if the function has no more. */
  readonly active: number | null;
}

/** The signature of the call whose arguments contain a position, in any spelling; null elsewhere. */
export function signatureHelp(file: TaskFile, position: Position, own: UserFunctions): SignatureHelp | null {
  const cursor = file.cursor(position);
  if (cursor === undefined) return null;
  const place = valueContext(cursor.path, cursor.task);
  if (place.kind === 'argument')
    return signatureOf(place.function, place.index ?? 0, place.count, userFunctionsOf(cursor.task, own));
  const [key] = cursor.path;
  if (key !== 'reward_function' && key !== 'reward_fn') return null;
  const call = callStringAt(cursor.before);
  return call === null || call.index === null ? null : signatureOf(call.name, call.index, call.index + 1, own);
}

function signatureOf(name: string, index: number, count: number, own: UserFunctions): SignatureHelp | null {
  const parameters = parametersOf(name, own);
  if (parameters === null) return null;
  const labels = parameters.map(({ label }) => label);
  const parameter = parameterAt(parameters, index, Math.max(count, index + 1));
  return {
    label: `${name}(${labels.join(', ')})`,
    doc: own.has(name) ? (own.get(name)?.doc ?? null) : (findBuiltin(name)?.doc ?? null),
    parameters: labels,
    active: parameter === undefined ? null : parameters.indexOf(parameter),
  };
}
