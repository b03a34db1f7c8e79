import { withLineFeeds } from '../../base/lines.ts';

/** One line of a solution that is an action. */
export interface ActionLine {
  /** Zero-based. */
  readonly line: number;
  /** Number of characters before the action. */
  readonly indent: number;
  /** Without surrounding white space. */
  readonly text: string;
}

/** Longer lines are skipped; the run reports their errors. */
const LENGTH = 20_000;
/** Maximum number of lines: five thousand take less than a frame. */
const LINES = 5000;

/** The lines of a `.actions` file that a replay would read as actions. */
export function* actionLines(content: string): Generator<ActionLine> {
  const text = withLineFeeds(content);
  let count = 0;
  for (let start = 0, line = 0; start <= text.length && count < LINES; line += 1) {
    const lineFeed = text.indexOf('\n', start);
    const end = lineFeed === -1 ? text.length : lineFeed;
    if (end - start <= LENGTH) {
      const whole = text.slice(start, end);
      // `trim` also removes a byte order mark.
      const action = whole.trim();
      if (action !== '' && !action.startsWith('#') && !action.startsWith('//')) {
        count += 1;
        yield { line, indent: whole.indexOf(action), text: action };
      }
    }
    start = end + 1;
  }
}
