import type { Json } from '../../base/json.ts';
import type { CallResult, VerdictPart } from '../../functions/declaration.ts';
import { shown } from '../../python/json.ts';
import { gradeIn, type SubScore } from './grade-frame.ts';

/** The verdict in a frame of `tasks.grade`. What HUD does not read as a grade is an error, and never 0. */
export function readGrade(frame: Json): CallResult {
  const grade = gradeIn(frame);
  if (typeof grade === 'string') return wrong(grade);
  const { score, content, isError, subscores } = grade;
  const said = content === '' ? null : content;
  if (isError) return wrong(failed(said));
  const {
    score: _score,
    content: _content,
    isError: _isError,
    subscores: _subscores,
    done: _done,
    ...rest
  } = frame as {
    readonly [key: string]: Json;
  };
  const info = Object.fromEntries(Object.entries(rest).filter(([, value]) => !isEmpty(value)));
  const parts = partsOf(subscores ?? []);
  const details = Object.keys(info).length === 0 ? '' : ` ${shown(info)}`;
  return {
    value: score,
    reason: said === null ? `graded with ${score}${details}` : `${said}${details}`,
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** What is said of a grade with `isError`, and with this content. */
export function failed(content: string | null): string {
  return `the grade says that it failed${content === null ? '' : `: ${content}`}`;
}

/** Subscores with those that they are computed from, named `parent / child`. */
function partsOf(subscores: readonly SubScore[], parent = ''): VerdictPart[] {
  return subscores.flatMap(({ name: own, value, weight, info, children }) => {
    const name = parent === '' ? own : `${parent} / ${own}`;
    const reasons = [...(weight === 1 ? [] : [`weight ${weight}`]), ...(isEmpty(info) ? [] : [shown(info)])];
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
