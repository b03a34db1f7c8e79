import { CLA_KEYS, keyName } from '../../actions/keys.ts';
import type { Position, Range } from '../../base/range.ts';
import { customTaskDoc } from '../../environments/browser/browsergym/custom-task-docs.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import type { Cursor, TaskFile } from '../../tasks/rows.ts';
import type { Era } from '../../tasks/task.ts';
import { isCustom, userFunctionsOf } from '../controller.ts';
import { customTaskAt } from '../custom-task.ts';
import { callStringAt } from '../findings/call-string.ts';
import { argumentKeys } from './completion/arguments.ts';
import { builtinDoc, environmentDoc, keyDoc, paragraphs, templateDoc, userFunctionDoc } from './docs.ts';
import { parameterAt, parametersOf } from './parameters.ts';
import { templateKeys, templatesOf } from './template-keys.ts';
import { eraIn, keysAt, type ValueContext, valueContext } from './value-context.ts';

/** The description of a position in a task file. */
export interface Hover {
  readonly range: Range;
  /** Markdown. */
  readonly text: string;
}

/** Names of the eras. */
const ERAS: Readonly<Record<Era, string>> = {
  '0.2': 'HUD 0.2',
  rfc: 'OpenEnv’s “Generic Task Support” proposal',
  '0.4': 'HUD 0.4 (not run by this version)',
  '0.5': 'HUD 0.5 (not run by this version)',
  '0.6': 'HUD 0.6',
};

/** The description of the key, function, environment, or key name at a position; null if there is none. */
export function hover(file: TaskFile, position: Position, own: UserFunctions): Hover | null {
  const cursor = file.cursor(position);
  if (cursor === undefined || cursor.at === 'between') return null;
  const word = cursor.before + (cursor.after ?? '');
  if (word === '') return null;
  const text = cursor.at === 'key' ? ofKey(word, cursor, own) : ofValue(word, cursor, own);
  return text === null ? null : { range: cursor.range, text };
}

function ofKey(key: string, { path, task }: Cursor, own: UserFunctions): string | null {
  const keys = keysAt(path, task) ?? argumentKeys(path, task) ?? templateKeys(path, task, own);
  const about = keys !== null && Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (about === undefined) return null;
  const era = path.length === 0 ? `*In a task of ${ERAS[eraIn(task)]}.*` : null;
  return paragraphs(keyDoc(key, about), era);
}

function ofValue(word: string, cursor: Cursor, around: UserFunctions): string | null {
  const { path, task } = cursor;
  const own = userFunctionsOf(task, around);
  const place = valueContext(path, task);
  if (place.kind === 'function') {
    const reward = path[0] === 'reward_function' || path[0] === 'reward_fn';
    if (isCustom(task) && !own.has(word)) return null;
    return functionDoc(reward ? (callStringAt(word)?.name ?? word) : word, own);
  }
  if (place.kind === 'argument') return argumentDoc(word, place, own);
  const customTask = customTaskAt(path, task, own);
  if (customTask !== undefined) return customTaskDoc(customTask);
  if (path[0] === 'id' && path.length === 1) {
    const template = templatesOf(task, own).find(({ id }) => id === word);
    return template === undefined ? null : templateDoc(template);
  }
  if (path[0] === 'gym' && (path.length === 1 || path[1] === 'type')) return environmentDoc(word);
  return null;
}

/** The description of a function; null if there is none. */
export function functionDoc(name: string, own: UserFunctions): string | null {
  const signature = own.get(name);
  if (signature !== undefined) return userFunctionDoc(signature);
  const declaration = findBuiltin(name);
  return declaration === undefined ? null : builtinDoc(declaration, name);
}

function argumentDoc(
  word: string,
  place: Extract<ValueContext, { kind: 'argument' }>,
  own: UserFunctions,
): string | null {
  const parameters = parametersOf(place.function, own);
  const parameter =
    parameters === null || place.index === null ? undefined : parameterAt(parameters, place.index, place.count);
  if (parameter === undefined) return null;
  const [field] = place.inner;
  if (parameter.name === 'action' && (field === 'keys' || field === 'hold_keys') && CLA_KEYS.includes(word)) {
    return paragraphs(`**${word}**: a key`, `\`${keyName(word)}\` in the browser.`);
  }
  if (place.inner.length > 0 && parameter.name !== 'text') return null;
  const names = (parameters ?? []).map(({ label, name }) => (name === parameter.name ? `**${label}**` : label));
  return `${place.function}(${names.join(', ')})`;
}
