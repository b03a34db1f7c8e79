import { commentSpan } from '../../../base/json-scan.ts';
import type { Span } from '../../../base/range.ts';
import type { TextProblem } from '../source.ts';

/** Reports a comment, with a fix that removes it. */
export function commentProblem(text: string, comment: Span): TextProblem {
  const { start, end } = commentSpan(text, comment.start, comment.end);
  return {
    ...comment,
    severity: 'error',
    code: 'comment',
    message: 'JSON does not allow comments. Remove it, or write the file in YAML',
    fix: { title: 'Remove the comment', edits: [{ start, end, text: '' }], safe: true },
  };
}

/** Reports a comma after the last item or member, with a fix that removes it. */
export function trailingCommaProblem(start: number): TextProblem {
  const end = start + 1;
  return {
    start,
    end,
    severity: 'error',
    code: 'trailing-comma',
    message: 'JSON does not allow a comma after the last item. Remove it',
    fix: { title: 'Remove the comma', edits: [{ start, end, text: '' }], safe: true },
  };
}
