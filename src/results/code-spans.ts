/** A value of the user in quotation marks, whose backticks are its own, or code between backticks. */
const QUOTED_OR_CODE = /“[^”\n]*”|"(?:[^"\\\n]|\\.)*"|`([^`\n]+)`/g;

/** A part of a message. */
export interface MessagePart {
  readonly text: string;
  /** It stood between backticks, which `text` does not have. */
  readonly isCode: boolean;
}

/** The parts of a message of Taskwright. Backticks mark code, such as a selector, but not inside quotation marks. */
export function messageParts(message: string): readonly MessagePart[] {
  const parts: MessagePart[] = [];
  let end = 0;
  for (const { index, 0: match, 1: code } of message.matchAll(QUOTED_OR_CODE)) {
    if (code === undefined) continue;
    if (index > end) parts.push({ text: message.slice(end, index), isCode: false });
    parts.push({ text: code, isCode: true });
    end = index + match.length;
  }
  if (end < message.length) parts.push({ text: message.slice(end), isCode: false });
  return parts;
}

/** A message for a place that shows plain text: without the backticks around code. */
export function withoutCodeMarks(message: string): string {
  return messageParts(message)
    .map(({ text }) => text)
    .join('');
}
