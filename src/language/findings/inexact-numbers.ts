import { type Path, valueAt } from '../../base/path.ts';
import { digitsOf, nearestNumber, type RawNumber } from '../../base/raw-number.ts';
import { rawNumbersIn } from '../../base/raw-numbers-in.ts';
import { newProblem, type Problem } from '../../tasks/problem.ts';
import type { Reading } from '../../tasks/reading.ts';
import type { RuleCode } from '../../tasks/rules/rules.ts';
import { callsController } from '../../tasks/source-row.ts';
import { changeTo } from '../../tasks/value-fixes.ts';

/** Problems about values that nothing needs as numbers, whatever is in them. */
const UNUSED_CODES: ReadonlySet<RuleCode> = new Set(['unknown-key', 'tags']);

/**
 * Numbers of a task that JavaScript numbers cannot hold, where they are needed as numbers: not as text, such as the id,
 * and not where their digits go to a program in Python. HUD alone keeps them.
 * @param others the other problems of the task
 */
export function inexactNumberProblems(reading: Reading, value: unknown, others: readonly Problem[]): Problem[] {
  if (others.some(({ code }) => code === 'era-not-run')) return [];
  const isKnown = (path: Path): boolean =>
    others.some(
      ({ path: other, code }) => isWithin(path, other) && (path.length === other.length || UNUSED_CODES.has(code)),
    );
  const problems = [...rawNumbersIn(value)]
    .filter(([path]) => !isPassedOn(reading, path) && !isAnswer(reading, path) && !isKnown(path))
    .map(([path, number]) => inexactNumber(path, number));
  for (const { args, path } of [...reading.setup, ...reading.evaluate]) {
    if (typeof valueAt(value, path) !== 'string') continue;
    for (const [, number] of rawNumbersIn(args))
      problems.push({ ...inexactNumber(path, number), word: number.rawJSON });
  }
  return problems;
}

/** Whether the digits of a number go to a program in Python. */
function isPassedOn(reading: Reading, [key, inner]: Path): boolean {
  if (reading.era === '0.5' || reading.era === '0.6') return key === 'args' || (key === 'verifier' && inner === 'args');
  return callsController(reading) && (key === 'setup' || key === 'evaluate');
}

/** Whether a number is the answer of a question, which is a text. */
function isAnswer({ evaluate }: Reading, path: Path): boolean {
  return evaluate.some(
    ({ path: answer }) => (answer[0] === 'target' || answer[0] === 'metadata') && isWithin(path, answer),
  );
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((step, index) => path[index] === step);
}

function inexactNumber(path: Path, number: RawNumber): Problem {
  const digits = digitsOf(number);
  const subject = digits.length > 60 ? 'This number' : digits;
  const message = `${subject} cannot be represented exactly: it would become ${digitsOf(nearestNumber(number))}. Write a number with fewer digits, or a string`;
  // Nothing calculates with metadata, but runs record it.
  return path[0] === 'metadata'
    ? newProblem('warning', 'number-not-exact', path, message, changeTo(path, digits))
    : newProblem('error', 'number-not-exact', path, message);
}
