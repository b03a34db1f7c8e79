import { NO_MESSAGE } from '../../environments/hud/no-message.ts';

/** HUD logs an exception of a template with this line before it, and sends its message alone. */
const HEAD = /^error handling tasks\.(?:start|grade)$/;
/** A frame of HUD's own server, which is above those of the template. */
const OWN_FRAME = /^ {2}File ".*[\\/]hud[\\/]environment[\\/]server\.py", line \d+, in /;
/** The type of an exception, and its text. */
const EXCEPTION = /^[A-Za-z_][\w.]*(: (.*)|)$/;
const FIRST = 'Traceback (most recent call last):';
/**
 * How often the log is read, and the interval in ms: the traceback comes another way than the answer. A number of times instead of a
 * time, because a busy process reads its pipes late, too.
 */
const READS = 50;
const PAUSE = 20;

/**
 * The traceback of the last exception that a server has logged and whose text an error message ends with, without the frames
 * of HUD itself. Null if there is none, or nothing but HUD's frames.
 */
export async function findTraceback(lines: readonly string[], message: string): Promise<string | null> {
  for (let read = 0; read < READS; read += 1) {
    const found = tracebackIn(lines, message);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return null;
}

/** As `findTraceback`; undefined if it has not been logged yet. */
export function tracebackIn(lines: readonly string[], message: string): string | null | undefined {
  let until = lines.length;
  for (let head = lines.length - 1; head >= 0; head -= 1) {
    if (!HEAD.test(lines[head] ?? '')) continue;
    const logged = lines.slice(head + 1, until);
    until = head;
    const end = endOf(logged, message);
    if (end === null) continue;
    const shown = logged.slice(0, end);
    const own = shown.findLastIndex((line) => OWN_FRAME.test(line));
    // After its line, a frame has its source, and a line that marks a part of it.
    const after = shown.findIndex((line, index) => index > own && line.startsWith('  File '));
    return after === -1 ? null : [FIRST, ...shown.slice(after)].join('\n');
  }
  return undefined;
}

/** How many lines a traceback has that ends with the text of an exception: `ValueError: no such level`. Null for none. */
function endOf(logged: readonly string[], message: string): number | null {
  // An exception that caused it is before it.
  for (let index = logged.length - 1; index >= 0; index -= 1) {
    const [, separator, first] = EXCEPTION.exec(logged[index] ?? '') ?? [];
    // A line of the text of an exception can look like one; a frame is only before the first line.
    if (separator === undefined || logged[index - 1]?.startsWith(' ') !== true) continue;
    let text = first ?? NO_MESSAGE;
    for (let end = index + 1; end <= logged.length; end += 1) {
      if (message.endsWith(text)) return end;
      text += `\n${logged[end] ?? ''}`;
    }
  }
  return null;
}
