import { isObject, type JsonObject } from '../../base/json.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import type { Era } from '../../tasks/task.ts';
import type { TaskAction } from './action.ts';
import type { Convert, Refusal } from './conversion.ts';
import { hud02ToRfc, rfcToHud02, usesRfcKeys } from './convert-rfc.ts';
import { hud05ToHud06, hud06ToHud05 } from './convert-templates.ts';
import { hud04ToHud02 } from './convert-tools.ts';

const CODE = 'setup and evaluate are code of an environment';

const TO_TOOLS: Refusal = {
  refusal:
    'HUD 0.4 calls tools of an MCP server with named arguments, and no server is known to provide these functions',
};
const NOT_HERE: Refusal = { refusal: `A task of this era only refers to its environment: ${CODE}, not of the task` };

/** The conversions, in menu order. */
const CONVERSIONS: Readonly<Record<Era, Partial<Record<Era, Convert>>>> = {
  '0.2': { rfc: hud02ToRfc, '0.4': () => TO_TOOLS },
  rfc: { '0.2': rfcToHud02 },
  '0.4': {
    '0.2': hud04ToHud02,
    '0.5': () => ({ refusal: 'HUD 0.5 reads tasks of HUD 0.4 unchanged if they have an evaluate_tool' }),
    '0.6': () => ({
      refusal: `HUD 0.6 has no setup and evaluate tools: ${CODE}. Write an equivalent template`,
    }),
  },
  '0.5': { '0.6': hud05ToHud06, '0.2': () => NOT_HERE },
  '0.6': { '0.5': hud06ToHud05, '0.2': () => NOT_HERE },
};

const NAMES: Readonly<Record<Era, string>> = {
  '0.2': 'HUD 0.2',
  '0.4': 'HUD 0.4',
  '0.5': 'HUD 0.5',
  '0.6': 'HUD 0.6',
  rfc: 'OpenEnv’s Generic Task Support',
};

/** Unreadable values would be lost. */
const UNREAD: Refusal = { refusal: 'One of its calls is not readable. Fix it first' };

/** The other eras that a task can be converted to, and those that it cannot, with the reason. */
export function conversions(row: TaskRow): TaskAction[] {
  const { reading, value } = row;
  if (reading === null || !isObject(value)) return [];
  const task: JsonObject = value;
  const pairs: [Era, Convert][] = Object.entries(CONVERSIONS[row.era]) as [Era, Convert][];
  // A task can use the keys of both.
  if (row.era === '0.2' && usesRfcKeys(task)) pairs.unshift(['0.2', rfcToHud02]);
  const isUnread = reading.problems.some(({ code }) => code === 'call-unreadable');
  return pairs.map(([era, convert]) => {
    const base = { kind: 'era', title: `Convert to ${NAMES[era]}` } as const;
    const conversion = isUnread ? UNREAD : convert(task, reading);
    if ('refusal' in conversion) return { ...base, refusal: conversion.refusal, notes: [], edits: () => null };
    return { ...base, notes: conversion.notes, edits: () => row.edit(conversion.changes) };
  });
}
