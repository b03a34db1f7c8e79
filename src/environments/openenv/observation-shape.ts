/** A value of an observation that is more than JSON to a reader. */
export type ObservationShape =
  | { readonly kind: 'chat'; readonly turns: readonly { readonly speaker: string; readonly text: string }[] }
  /** Rows of cells; `letters`: each row is a text, with a cell for each character. */
  | { readonly kind: 'board'; readonly rows: readonly (readonly string[])[]; readonly letters: boolean };

const SPEAKERS = ['role', 'sender', 'sender_id', 'name'] as const;
const SAYINGS = ['content', 'text', 'message'] as const;
/** Fewer or shorter texts, or words alone, are a list. */
const LEAST_LINES = 2;
const LEAST_CELLS = 3;

/** The turns of a chat, a board of cells, or a board of lines; null for anything else. */
export function shapeOf(value: unknown): ObservationShape | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const items: readonly unknown[] = value;
  const turns = items.map(turnOf);
  if (turns.every((turn) => turn !== null)) return { kind: 'chat', turns };
  if (isBoard(items)) return { kind: 'board', rows: items.map((row) => row.map(cell)), letters: false };
  if (isBoardOfLines(items)) return { kind: 'board', rows: items.map((line) => [...line]), letters: true };
  return null;
}

function turnOf(value: unknown): { readonly speaker: string; readonly text: string } | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const row = value as { readonly [key: string]: unknown };
  const speaker = SPEAKERS.map((key) => row[key]).find((one) => typeof one === 'string' || typeof one === 'number');
  const text = SAYINGS.map((key) => row[key]).find((one) => typeof one === 'string');
  return speaker === undefined || typeof text !== 'string' ? null : { speaker: String(speaker), text };
}

function isBoard(rows: readonly unknown[]): rows is readonly (readonly unknown[])[] {
  return (
    rows.length > 1 &&
    rows.every(
      (row) => Array.isArray(row) && row.length > 0 && row.every((one) => one === null || typeof one !== 'object'),
    )
  );
}

function isBoardOfLines(lines: readonly unknown[]): lines is readonly string[] {
  const [first] = lines;
  return (
    lines.length >= LEAST_LINES &&
    typeof first === 'string' &&
    first.length >= LEAST_CELLS &&
    lines.every((line) => typeof line === 'string' && line.length === first.length) &&
    lines.some((line) => /[^\p{L}\p{N}_ -]/u.test(String(line)))
  );
}

function cell(value: unknown): string {
  return value === '' || value === null ? '·' : String(value);
}
