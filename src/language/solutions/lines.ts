/** One line of a solution that is an action. */
export interface ActionLine {
  /** Zero-based. */
  readonly line: number;
  /** Characters before the action. */
  readonly indent: number;
  /** Without the white space around it. */
  readonly text: string;
}

/** Lines that are longer are no action that a person writes; what is wrong with them the run says. */
const LENGTH = 20_000;
/** Lines that are looked at: five thousand take less than a frame. */
const LINES = 5000;

/** The lines of a `.actions` file that a replay would give as actions, as far as a person writes them. */
export function* actionLines(text: string): Generator<ActionLine> {
  let count = 0;
  for (let start = 0, line = 0; start <= text.length && count < LINES; line += 1) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    if (end - start <= LENGTH) {
      const whole = text.slice(start, end);
      // A byte order mark counts as white space here.
      const trimmed = whole.trim();
      if (trimmed !== '' && !trimmed.startsWith('#') && !trimmed.startsWith('//')) {
        count += 1;
        yield { line, indent: whole.indexOf(trimmed), text: trimmed };
      }
    }
    start = end + 1;
  }
}
