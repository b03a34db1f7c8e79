import { type Json, objectOf, textOf } from '../../base/json.ts';
import type { CallResult, VerdictPart } from '../../functions/declaration.ts';
import { abbreviateJson } from '../../python/json.ts';
import { gradeIn, type SubScore } from './grade-frame.ts';

/** The members of a frame that are not details. */
const GRADE_KEYS: readonly string[] = ['score', 'content', 'isError', 'subscores', 'done'];

/** The verdict in a frame of `tasks.grade`. A frame that HUD does not read as a grade is an error, and never 0. */
export function readGrade(frame: Json): CallResult {
  const grade = gradeIn(frame);
  if (typeof grade === 'string') return wrong(grade);
  const { score, content, isError, subscores } = grade;
  const text = textOf(content);
  if (isError) return wrong(gradeFailure(text));
  const info = Object.fromEntries(
    Object.entries(objectOf(frame)).filter(([key, value]) => !GRADE_KEYS.includes(key) && !isEmpty(value)),
  );
  const parts = partsOf(subscores ?? []);
  const details = Object.keys(info).length === 0 ? '' : ` ${abbreviateJson(info)}`;
  return {
    value: score,
    reason: `${text ?? `graded with ${score}`}${details}`,
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** The reason for a grade with `isError` and this content. */
export function gradeFailure(content: string | null): string {
  return `the grade says that it failed${content === null ? '' : `: ${content}`}`;
}

/** Subscores and their parts, named `parent / child`. */
function partsOf(subscores: readonly SubScore[], parent = ''): VerdictPart[] {
  return subscores.flatMap(({ name: own, value, weight, info, children }) => {
    const name = parent === '' ? own : `${parent} / ${own}`;
    const reasons = [...(weight === 1 ? [] : [`weight ${weight}`]), ...(isEmpty(info) ? [] : [abbreviateJson(info)])];
    return [{ name, value, reason: reasons.join(', ') }, ...partsOf(children ?? [], name)];
  });
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function wrong(message: string): CallResult {
  return { error: { code: 'call_threw', message } };
}
