import { isObject, type JsonObject } from '../../base/json.ts';
import { environmentKind } from '../../environments/kinds.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { expectedOf } from '../../functions/meaning.ts';
import { KNOWN_KEYS } from '../../tasks/era.ts';
import { unknownKeys } from '../../tasks/known-keys.ts';
import { newProblem, type Problem } from '../../tasks/problem.ts';
import type { Reading } from '../../tasks/reading.ts';
import type { Era } from '../../tasks/task.ts';
import { hud02Problems } from './eras/hud-0.2.ts';
import { hud04Problems } from './eras/hud-0.4.ts';
import { hud05Problems, isReadAsLegacy } from './eras/hud-0.5.ts';
import { hud06Problems } from './eras/hud-0.6.ts';
import { rfcProblems } from './eras/rfc.ts';
import { templateProblems } from './templates.ts';

/** Eras that only HUD runs: the key that identifies a row, and what HUD's model rejects. */
const OF_HUD: Partial<Record<Era, { readonly key: string; check(row: JsonObject): Problem[] }>> = {
  '0.4': { key: 'mcp_config', check: hud04Problems },
  '0.5': { key: 'scenario', check: hud05Problems },
  '0.6': { key: 'env', check: hud06Problems },
};

/** The keys of a row that HUD 0.5 reads as a task of HUD 0.4. */
const LEGACY_KEYS = [...KNOWN_KEYS['0.4'], ...KNOWN_KEYS['0.5']];

/** Problems of one task, apart from those found while reading it. Other rows and files are not considered. */
export function rowProblems(reading: Reading, value: unknown, own: UserFunctions): Problem[] {
  const { era } = reading;
  const row: JsonObject = isObject(value) ? value : {};
  const ofHud = OF_HUD[era];
  const keys = era === '0.5' && isReadAsLegacy(row) ? LEGACY_KEYS : KNOWN_KEYS[era];
  const problems = unknownKeys(row, keys, [], era);
  if (ofHud === undefined) {
    problems.push(...rfcProblems(row), ...hud02Problems(reading, row, own));
    return problems;
  }
  problems.push(...ofHud.check(row));
  const templates = era === '0.6' ? own.templatesOf?.(row) : undefined;
  if (templates !== undefined) problems.push(...templateProblems(row, templates));
  const answer = environmentKind(reading.fields.env);
  if ('kind' in answer) {
    const { fields, evaluate } = reading;
    problems.push(...(answer.kind.problems?.({ row, fields, evaluate, user: own, expectedOf }) ?? []));
  } else if (!problems.some(({ severity }) => severity === 'error')) {
    const message = `This is a task of HUD ${era}. ${answer.unsupported}`;
    problems.push({ part: 'key', ...newProblem('information', 'era-not-run', [ofHud.key], message) });
  }
  return problems;
}
