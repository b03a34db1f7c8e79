import type { Json, JsonObject } from '../../base/json.ts';
import { shapeOf } from './observation-shape.ts';

/** JSON that is longer than a line is printed key by key. */
const LINE = 100;

/** A printed value. `isBlock`: it begins on a line of its own. */
interface Printed {
  readonly text: string;
  readonly isBlock: boolean;
}

/**
 * An observation as text for agents and people: a line `key: value` for each key, texts as they are, the turns of a chat
 * as `who: what`, a board as rows.
 */
export function printObservation(observation: JsonObject): string {
  const lines: string[] = [];
  for (const [key, value] of Object.entries(observation)) {
    if (isEmpty(value)) continue;
    const { text, isBlock } = print(value);
    lines.push(isBlock ? `${key}:\n${indented(text)}` : `${key}: ${text}`);
  }
  return lines.join('\n');
}

function print(value: Json): Printed {
  if (typeof value === 'string') return { text: value, isBlock: value.includes('\n') };
  const shape = shapeOf(value);
  if (shape?.kind === 'chat') return block(shape.turns.map(({ speaker, text }) => `${speaker}: ${text}`));
  if (shape?.kind === 'board') return block(shape.rows.map((row) => row.join(shape.letters ? '' : ' ')));
  const line = JSON.stringify(value);
  // A long list of numbers stays on one line.
  if (line.length <= LINE || value === null || typeof value !== 'object' || isFlat(value)) {
    return { text: line, isBlock: false };
  }
  return Array.isArray(value)
    ? block((value as readonly Json[]).map((item) => `- ${indented(print(item).text).trimStart()}`))
    : block([printObservation(value as JsonObject)]);
}

function block(lines: readonly string[]): Printed {
  return { text: lines.join('\n'), isBlock: true };
}

function isFlat(value: object): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
