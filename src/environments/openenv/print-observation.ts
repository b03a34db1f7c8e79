import type { Json } from '../../tasks/task.ts';

/** Longer JSON on one line is broken into several. */
const LINE = 100;
const SPEAKERS = ['role', 'sender', 'sender_id', 'name'] as const;
const SAYINGS = ['content', 'text', 'message'] as const;

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
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const turns = items.map(turnOf);
    if (items.length > 0 && turns.every((turn) => turn !== null)) return turns.join('\n');
    if (isBoard(items)) return items.map((row) => row.map(cell).join(' ')).join('\n');
  }
  const line = JSON.stringify(value);
  return line.length <= LINE ? line : JSON.stringify(value, null, 2);
}

/** `user: Hello` */
function turnOf(value: Json): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const row = value as { readonly [key: string]: Json };
  const speaker = SPEAKERS.map((key) => row[key]).find((one) => typeof one === 'string' || typeof one === 'number');
  const said = SAYINGS.map((key) => row[key]).find((one) => typeof one === 'string');
  return speaker === undefined || said === undefined ? null : `${speaker}: ${said}`;
}

function isBoard(rows: readonly Json[]): rows is readonly (readonly Json[])[] {
  return (
    rows.length > 1 &&
    rows.every((row) => Array.isArray(row) && row.length > 0 && row.every((one) => typeof one !== 'object'))
  );
}

function cell(value: Json): string {
  return value === '' ? '·' : String(value);
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
