import type { Json } from '../../tasks/task.ts';
import { shapeOf } from './observation-shape.ts';

/** Longer JSON on one line is broken into several. */
const LINE = 100;
/**
 * An observation as text for agents and people: a line `key: value` for each key, texts as they are, the turns of a chat
 * as `who: what`, a board as rows.
 */
export function printObservation(observation: { readonly [key: string]: Json }): string {
  const lines: string[] = [];
  for (const [key, value] of Object.entries(observation)) {
    if (isEmpty(value)) continue;
    const text = print(value);
    lines.push(text.includes('\n') ? `${key}:\n${indented(text)}` : `${key}: ${text}`);
  }
  return lines.join('\n');
}

function print(value: Json): string {
  if (typeof value === 'string') return value;
  const shape = shapeOf(value);
  if (shape?.kind === 'chat') return shape.turns.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n');
  if (shape?.kind === 'board') return shape.rows.map((row) => row.join(shape.letters ? '' : ' ')).join('\n');
  const line = JSON.stringify(value);
  return line.length <= LINE ? line : JSON.stringify(value, null, 2);
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
