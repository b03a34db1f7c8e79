import { isList, type Json, type JsonObject } from '../../base/json.ts';
import { shapeOf } from './observation-shape.ts';

/** The maximum length of JSON on one line. Longer JSON is printed key by key. */
const LINE = 100;

/** A printed value. `isBlock`: it starts on a new line. */
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
    lines.push(isBlock ? `${key}:\n${indent(text)}` : `${key}: ${text}`);
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
  return isList(value)
    ? block(value.map((item) => `- ${indent(print(item).text).trimStart()}`))
    : block([printObservation(value as JsonObject)]);
}

function block(lines: readonly string[]): Printed {
  return { text: lines.join('\n'), isBlock: true };
}

function isFlat(value: Json): boolean {
  return isList(value) && value.every((item) => typeof item !== 'object' || item === null);
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
