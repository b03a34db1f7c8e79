import { Lines, type OffsetEdit } from '../../base/lines.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { Draft } from '../../tasks/draft.ts';
import type { Finding } from '../../tasks/finding.ts';
import { readTasksInSlices } from '../../tasks/read.ts';
import { Diagnosis } from '../findings/diagnosis.ts';

/** A text after all safe fixes. */
export interface FixedText {
  readonly text: string;
  /** Edits of the original text; offsets count from after a byte order mark. */
  readonly edits: readonly OffsetEdit[];
  /** Number of problems fixed. */
  readonly fixCount: number;
}

/** A fix can reveal another problem. A task that needs more passes does not converge. */
const MAX_PASSES = 10;

/**
 * Applies safe fixes until none are left. Yields regularly.
 * @param file absolute path; nothing is read from it or written to it
 * @param own exports of the functions files beside it
 * @param isAsked whether to fix a finding
 * @param likely also apply the first fix of findings without a safe one
 */
export function* applySafeFixes(
  file: string,
  text: string,
  own: UserFunctions,
  isAsked: (finding: Finding) => boolean = () => true,
  likely = false,
): Generator<undefined, FixedText, undefined> {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const draft = new Draft(text.slice(mark.length));
  let fixCount = 0;
  for (let round = 0; round < MAX_PASSES; round += 1) {
    const diagnosis = new Diagnosis(yield* readTasksInSlices(file, draft.text), own);
    yield* diagnosis.update();
    const fixes = yield* editsOf(diagnosis.findings().filter(isAsked), new Lines(draft.text), likely);
    if (fixes.count === 0) break;
    draft.replaceAll(fixes.edits);
    fixCount += fixes.count;
  }
  return { text: mark + draft.text, edits: draft.edits, fixCount };
}

interface Round {
  readonly edits: readonly OffsetEdit[];
  readonly count: number;
}

/** Edits of the safe fixes that can be applied together; overlapping ones wait for the next pass. */
function* editsOf(findings: readonly Finding[], lines: Lines, likely: boolean): Generator<undefined, Round, undefined> {
  const fixes: OffsetEdit[][] = [];
  for (const finding of findings) {
    yield;
    const offers = finding.fixes?.() ?? [];
    const fix = offers.find(({ safe }) => safe) ?? (likely ? offers[0] : undefined);
    if (fix === undefined || fix.edits.length === 0) continue;
    fixes.push(
      fix.edits.map(({ range, text }) => {
        return { start: lines.offset(range.start), end: lines.offset(range.end), text };
      }),
    );
  }
  // Sorted, so that each fix only has to be compared with the previous one.
  fixes.sort((a, b) => (a[0]?.start ?? 0) - (b[0]?.start ?? 0));
  const edits: OffsetEdit[] = [];
  let count = 0;
  let end = -1;
  for (const fix of fixes) {
    if ((fix[0]?.start ?? 0) <= end) continue;
    edits.push(...fix);
    end = fix.at(-1)?.end ?? end;
    count += 1;
  }
  return { edits, count };
}
