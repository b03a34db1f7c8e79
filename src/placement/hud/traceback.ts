import type { LogLines } from '../../base/log-lines.ts';
import { NO_MESSAGE } from '../../environments/hud/spec.ts';

/** HUD logs an exception of a template with this line before it, and sends its message alone. */
const HEAD = /^error handling tasks\.(?:start|grade)$/;
/** A frame of HUD's own server, which is above those of the template. */
const HUD_FRAME = /^ {2}File ".*[\\/]hud[\\/]environment[\\/]server\.py", line \d+, in /;
/** The type of an exception, and its text. */
const EXCEPTION = /^[A-Za-z_][\w.]*(: (.*)|)$/;
const FIRST_LINE = 'Traceback (most recent call last):';
/**
 * How often the log is read, and the interval in ms: a traceback arrives by another pipe than the error. It is a number of times
 * instead of a time, because a busy process reads its pipes late, too.
 */
const READS = 50;
const PAUSE = 20;

/** The tracebacks in the log of a HUD server. Each explains one error only. */
export class Tracebacks {
  readonly #log: LogLines;
  /** The numbers of the lines at which the tracebacks of earlier errors begin. */
  readonly #usedLines = new Set<number>();

  constructor(log: LogLines) {
    this.#log = log;
  }

  /**
   * Returns the traceback of the newest exception with whose text an error message ends, without the frames of HUD itself. Waits
   * for it if it has not been logged yet. Null if there is none, or it has only frames of HUD.
   */
  async find(message: string): Promise<string | null> {
    for (let read = 0; read < READS; read += 1) {
      const traceback = this.#take(message);
      if (traceback !== undefined) return traceback;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    return null;
  }

  /** As `find`; undefined if the traceback has not been logged yet. */
  #take(message: string): string | null | undefined {
    const { lines, first } = this.#log;
    let end = lines.length;
    for (let head = lines.length - 1; head >= 0; head -= 1) {
      if (!HEAD.test(lines[head] ?? '')) continue;
      const traceback = this.#usedLines.has(first + head) ? null : upToException(lines.slice(head + 1, end), message);
      end = head;
      if (traceback === null) continue;
      this.#usedLines.add(first + head);
      const hudFrame = traceback.findLastIndex((line) => HUD_FRAME.test(line));
      // A frame has its source after its line, and a line that marks a part of it.
      const frame = traceback.findIndex((line, index) => index > hudFrame && line.startsWith('  File '));
      return frame === -1 ? null : [FIRST_LINE, ...traceback.slice(frame)].join('\n');
    }
    return undefined;
  }
}

/** The lines up to the end of an exception with whose text a message ends: `ValueError: no such level`. Null for none. */
function upToException(lines: readonly string[], message: string): readonly string[] | null {
  // The exception that caused another one is before it.
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const [, separator, firstLine] = EXCEPTION.exec(lines[index] ?? '') ?? [];
    // A line of the text of an exception can look like one; a frame is only before the first line.
    if (separator === undefined || lines[index - 1]?.startsWith(' ') !== true) continue;
    let text = firstLine ?? NO_MESSAGE;
    for (let end = index + 1; end <= lines.length; end += 1) {
      if (message.endsWith(text)) return lines.slice(0, end);
      text += `\n${lines[end] ?? ''}`;
    }
  }
  return null;
}
