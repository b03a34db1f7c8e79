import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draft } from '../../../src/tasks/draft.ts';
import { caseCount } from '../../sample.ts';

describe('a text with several changes', () => {
  it('gives edits of the original text, in order and without overlaps', () => {
    const step = fc.record({ at: fc.nat(30), length: fc.nat(6), again: fc.nat(5), text: fc.string({ maxLength: 4 }) });
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.array(step, { maxLength: 8 }), (text, steps) => {
        const draft = new Draft(text);
        let now = text;
        for (const { at, length, text: put, again } of steps) {
          const start = Math.min(at, now.length);
          const end = Math.min(start + length, now.length);
          const second = Math.min(end + again, now.length);
          now = now.slice(0, start) + put + now.slice(end, second) + put + now.slice(second);
          draft.replaceAll([
            { start, end, text: put },
            { start: second, end: second, text: put },
          ]);
        }
        expect(draft.text).toBe(now);
        let result = '';
        let last = 0;
        for (const [index, edit] of draft.edits.entries()) {
          expect(edit.start).toBeGreaterThanOrEqual(last + (index === 0 ? 0 : 1));
          expect(edit.end).toBeGreaterThanOrEqual(edit.start);
          result += text.slice(last, edit.start) + edit.text;
          last = edit.end;
        }
        expect(result + text.slice(last)).toBe(now);
      }),
      { numRuns: caseCount(300, 2_000) },
    );
  });
});
