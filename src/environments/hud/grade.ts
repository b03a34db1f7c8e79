import type { CallResult, VerdictPart } from '../../functions/declaration.ts';
import type { Json } from '../../tasks/task.ts';
import { printPythonJson } from './python-json.ts';

type Row = { readonly [key: string]: Json };

/** The maximum length of JSON in a reason. */
const SHOWN = 300;

/**
 * The verdict in a frame of `tasks.grade`. A score that is missing or not a finite number is an error, as in HUD 0.6.21, and
 * never 0.
 */
export function readGrade(frame: Json): CallResult {
  if (!isRow(frame)) return wrong(`the environment sent ${shown(frame)} instead of a grade`);
  const { score, content, isError, subscores, done: _done, ...rest } = frame;
  if (score === undefined) {
    return wrong(`the grade has no "score"; it is ${shown(frame)}`);
  }
  if (!hasScore(frame)) {
    return wrong(`the "score" of the grade must be a finite number, and it is ${shown(score)}`);
  }
  const said = typeof content === 'string' && content !== '' ? content : null;
  if (isError === true) return wrong(`the grade says that it failed${said === null ? '' : `: ${said}`}`);
  const info = Object.fromEntries(Object.entries(rest).filter(([, value]) => !isEmpty(value)));
  const parts = partsOf(subscores);
  const details = Object.keys(info).length === 0 ? '' : ` ${shown(info)}`;
  return {
    value: Number(score),
    reason: said === null ? `graded with ${score}${details}` : `${said}${details}`,
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** Whether a frame of `tasks.grade` has a score that HUD accepts. */
export function hasScore(frame: Json): boolean {
  return isRow(frame) && typeof frame['score'] === 'number' && Number.isFinite(frame['score']);
}

/** Subscores with those that they are computed from, named `parent / child`. */
function partsOf(subscores: Json | undefined, parent = ''): VerdictPart[] {
  if (!Array.isArray(subscores)) return [];
  return (subscores as readonly Json[]).flatMap((one) => {
    if (!isRow(one) || typeof one['name'] !== 'string') return [];
    const { value, weight, info, children } = one;
    const name = parent === '' ? one['name'] : `${parent} / ${one['name']}`;
    const reasons = [
      ...(typeof weight === 'number' && weight !== 1 ? [`weight ${weight}`] : []),
      ...(isEmpty(info) ? [] : [shown(info)]),
    ];
    const isValid = typeof value === 'number' && value >= 0 && value <= 1;
    return [...(isValid ? [{ name, value, reason: reasons.join(', ') }] : []), ...partsOf(children, name)];
  });
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function wrong(message: string): CallResult {
  return { error: { code: 'call_threw', message } };
}

function shown(value: Json | undefined): string {
  const text = printPythonJson(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function isRow(value: Json): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
