import { commentSpan } from '../../../base/json-scan.ts';
import type { Span } from '../../../base/range.ts';
import { type TextProblem, textError } from '../source.ts';

/** Reports a comment, with a fix that removes it. */
export function commentProblem(text: string, comment: Span): TextProblem {
  const { start, end } = commentSpan(text, comment.start, comment.end);
  const message = 'JSON does not allow comments. Remove it, or write the file in YAML';
  const edits = [{ start, end, text: '' }];
  return textError(comment, 'comment', message, { title: 'Remove the comment', edits, safe: true });
}

/** Reports a comma after the last item or member, with a fix that removes it. */
export function trailingCommaProblem(start: number): TextProblem {
  const comma = { start, end: start + 1 };
  const message = 'JSON does not allow a comma after the last item. Remove it';
  const edits = [{ ...comma, text: '' }];
  return textError(comma, 'trailing-comma', message, { title: 'Remove the comma', edits, safe: true });
}
