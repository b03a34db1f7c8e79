import type { ActionDialect } from '../actions/normal.ts';
import { didYouMean, nearestWord } from '../base/nearest.ts';
import type { FunctionDeclaration } from '../functions/declaration.ts';
import { list } from '../functions/words.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';
import { browser } from './browser/kind.ts';
import { coding } from './coding/kind.ts';
import { custom } from './custom/kind.ts';
import { desktop } from './desktop/kind.ts';
import { hud } from './hud/kind.ts';
import type { GymType, Kind, OtherType } from './kind.ts';
import { mcp } from './mcp/kind.ts';
import { openenv } from './openenv/kind.ts';
import { qa } from './qa/kind.ts';

/** Every kind of environment that runs here. */
export const KINDS: readonly Kind[] = [browser, qa, coding, desktop, custom, openenv, hud, mcp];

/** Types of environments that this version does not run. */
const OTHER_TYPES: Readonly<Record<string, OtherType>> = {
  desktop: { doc: 'A desktop that is not run. Use `hud-ubuntu` or `OSWorld-Ubuntu`.', identifyingKeys: ['image'] },
  hud: {
    doc: 'An environment of HUD 0.6. A task of this release names it as `env`; `gym` cannot.',
    identifyingKeys: ['name', 'template'],
  },
};

const KIND_OF_TYPE: ReadonlyMap<string, Kind> = new Map(
  KINDS.flatMap((kind) =>
    [...Object.keys(kind.types), ...(kind.rowType === undefined ? [] : [kind.rowType])].map(
      (type) => [type, kind] as const,
    ),
  ),
);

/** The types of environments that run here, with what is known of each. */
export const GYM_TYPES: ReadonlyMap<string, GymType> = new Map(KINDS.flatMap(({ types }) => Object.entries(types)));

/** All types of environments that this version knows, those that it runs first. */
export const environmentTypes: readonly string[] = [...GYM_TYPES.keys(), ...Object.keys(OTHER_TYPES)];

/** What is known of a type, whether it runs here or not; null for one that does not exist. */
export function typeInfo(type: string): GymType | OtherType | null {
  return GYM_TYPES.get(type) ?? (Object.hasOwn(OTHER_TYPES, type) ? (OTHER_TYPES[type] ?? null) : null);
}

/** The kind with a name. */
export function kindNamed(name: string): Kind | null {
  return KINDS.find((kind) => kind.name === name) ?? null;
}

/** The kind of a task by its type, even if it does not support the task; null for none. */
export function kindOfType(spec: EnvironmentSpec): Kind | null {
  return KIND_OF_TYPE.get(spec.type) ?? null;
}

/** The kind of environment that runs a task, or a sentence that says why none does. */
export function environmentKind(
  spec: EnvironmentSpec,
): { readonly kind: Kind } | { readonly unsupported: string; readonly known: boolean } {
  const kind = kindOfType(spec);
  if (kind !== null) {
    const unsupported = kind.whyUnsupported?.(spec) ?? null;
    return unsupported === null ? { kind } : { known: true, unsupported };
  }
  const other = Object.hasOwn(OTHER_TYPES, spec.type) ? OTHER_TYPES[spec.type] : undefined;
  const names = (other?.identifyingKeys ?? ['image', 'name'])
    .map((key) => spec[key])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(', ');
  const what = `“${spec.type}”${names === '' ? '' : ` (${names})`}`;
  if (other !== undefined) {
    const runs = list([...GYM_TYPES.keys()]);
    const unsupported = `This version of Taskwright does not run environments of type ${what} yet; it runs ${runs}`;
    return { known: true, unsupported };
  }
  const near = nearestWord(spec.type, environmentTypes);
  const others = near === null ? `; Taskwright knows ${environmentTypes.join(', ')}` : didYouMean(near);
  return { known: false, unsupported: `There is no environment of type ${what}${others}` };
}

/** How the action strings of a task are read. */
export function actionDialect(spec: EnvironmentSpec): ActionDialect {
  return { dialect: kindOfType(spec)?.dialect?.(spec) ?? 'own' };
}

/** Whether a function can be called in environments of a kind. */
export function canCall({ needs }: Pick<FunctionDeclaration, 'needs'>, { provides }: Kind): boolean {
  return needs.every((need) => provides.includes(need));
}
