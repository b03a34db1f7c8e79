import { actionInputSchema } from '../../actions/action.ts';
import { locateCalls } from '../../actions/calls.ts';
import { CLA_TYPES } from '../../actions/cla.ts';
import { LiteralError } from '../../actions/literals.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { ACTION_FUNCTIONS, isActionFunction } from '../../actions/signatures.ts';
import type { Finding } from '../../tasks/finding.ts';
import { didYouMean, nearestWord } from '../../tasks/nearest.ts';
import { actionLines } from './lines.ts';

/** What is wrong with one line, and with which part of it. */
interface Wrong {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** What may have been meant by that part. */
  readonly near?: string | null;
}

/**
 * What is wrong with the actions of a solution: a line that is no action, a function that does not exist, arguments that
 * do not fit. Whether an element is there only the page can tell.
 * @param file absolute path of the `.actions` file
 */
export function diagnoseSolution(file: string, text: string): Finding[] {
  const findings: Finding[] = [];
  for (const { line, indent, text: action } of actionLines(text)) {
    const wrong = action.startsWith('{') ? wrongObject(action) : wrongString(action);
    if (wrong === null) continue;
    const { code, message, near = null } = wrong;
    const range = {
      start: { line, character: indent + wrong.start },
      end: { line, character: indent + wrong.end },
    };
    const finding: Finding = { file, range, severity: 'error', code, message };
    findings.push(
      near === null
        ? finding
        : { ...finding, fixes: () => [{ title: `Change to “${near}”`, edits: [{ range, text: near }], safe: false }] },
    );
  }
  return findings;
}

function wrongString(action: string): Wrong | null {
  const { actions, failure } = normaliseAction(action);
  if (failure === null) return null;
  const whole = { start: 0, end: action.length };
  if (failure.code === 'empty_action') {
    const message = 'There is no action in this line. Write one such as click("#buy"), or begin a comment with #';
    return { code: 'no-action', message, ...whole };
  }
  const calls = located(action);
  const unknown = calls.find(({ call }) => !isActionFunction(call.name));
  if (unknown !== undefined) {
    const { name } = unknown.call;
    const near = nearestWord(name, ACTION_FUNCTIONS);
    return {
      code: 'unknown-action',
      message: `There is no action “${name}”${didYouMean(near)}`,
      start: unknown.start,
      end: unknown.start + name.length,
      near,
    };
  }
  // The actions before the call that failed could be read.
  const { start, end } = calls[actions.length] ?? whole;
  return { code: 'invalid-action', message: failure.message, start, end };
}

/** None where Python could not read a string in them. */
function located(action: string): ReturnType<typeof locateCalls> {
  try {
    return locateCalls(action);
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
    return [];
  }
}

function wrongObject(action: string): Wrong | null {
  const whole = { start: 0, end: action.length };
  let value: unknown;
  try {
    value = JSON.parse(action);
  } catch (error) {
    return { code: 'no-action', message: `This line is no JSON: ${(error as Error).message}`, ...whole };
  }
  const input = actionInputSchema.safeParse(value);
  if (!input.success) {
    return { code: 'invalid-action', message: 'An action needs a "type", such as {"type": "click"}', ...whole };
  }
  const { failure } = normaliseAction(input.data);
  if (failure === null) return null;
  if (failure.code !== 'unknown_action') return { code: 'invalid-action', message: failure.message, ...whole };
  const { type } = input.data as { readonly type: string };
  const near = nearestWord(type, CLA_TYPES);
  const message = `There is no action of the type “${type}”${didYouMean(near)}`;
  const written = JSON.stringify(type);
  const start = action.indexOf(written);
  // A type that is written with escapes is not looked for.
  if (start === -1) return { code: 'unknown-action', message, ...whole };
  return { code: 'unknown-action', message, start: start + 1, end: start + written.length - 1, near };
}
