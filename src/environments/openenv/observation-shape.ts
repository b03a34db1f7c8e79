import { isList, type Json, objectOf } from '../../base/json.ts';

/** A value of an observation that is shown as a chat or a board and not as JSON. */
export type ObservationShape =
  | { readonly kind: 'chat'; readonly turns: readonly { readonly speaker: string; readonly text: string }[] }
  /** Rows of cells; `letters`: each row is a text, with a cell for each character. */
  | { readonly kind: 'board'; readonly rows: readonly (readonly string[])[]; readonly letters: boolean };

const SPEAKERS = ['role', 'sender', 'sender_id', 'name'] as const;
const SAYINGS = ['content', 'text', 'message'] as const;
/** The minimum size of a board of lines. */
const LEAST_LINES = 2;
const LEAST_CELLS = 3;

/** The turns of a chat, a board of cells, or a board of lines; null for anything else. */
export function shapeOf(items: unknown): ObservationShape | null {
  if (!isList(items) || items.length === 0) return null;
  const turns = items.map(turnOf);
  if (turns.every((turn) => turn !== null)) return { kind: 'chat', turns };
  if (isBoard(items)) return { kind: 'board', rows: items.map((row) => row.map(cell)), letters: false };
  if (isBoardOfLines(items)) return { kind: 'board', rows: items.map((line) => [...line]), letters: true };
  return null;
}

function turnOf(value: Json): { readonly speaker: string; readonly text: string } | null {
  const row = objectOf(value);
  const speaker = SPEAKERS.map((key) => row[key]).find((one) => typeof one === 'string' || typeof one === 'number');
  const text = SAYINGS.map((key) => row[key]).find((one) => typeof one === 'string');
  return speaker === undefined || typeof text !== 'string' ? null : { speaker: String(speaker), text };
}

function isBoard(rows: readonly Json[]): rows is readonly (readonly Json[])[] {
  const isRow = (row: Json): boolean =>
    isList(row) && row.length > 0 && row.every((one) => one === null || typeof one !== 'object');
  return rows.length > 1 && rows.every(isRow);
}

function isBoardOfLines(lines: readonly Json[]): lines is readonly string[] {
  const [first] = lines;
  return (
    lines.length >= LEAST_LINES &&
    typeof first === 'string' &&
    first.length >= LEAST_CELLS &&
    lines.every((line) => typeof line === 'string' && line.length === first.length) &&
    lines.some((line) => /[^\p{L}\p{N}_ -]/u.test(String(line)))
  );
}

function cell(value: Json): string {
  return value === '' || value === null ? '·' : String(value);
}
