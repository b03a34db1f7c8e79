import * as l10n from '@vscode/l10n';
import type { Range } from '../../base/range.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { formatReward } from '../../results/reward.ts';
import { RESPONSE_FUNCTIONS } from '../../tasks/response-functions.ts';
import type { Call, Task } from '../../tasks/task.ts';
import type { Run, RunRecord } from '../../traces/trace.ts';
import { verdictOf } from '../runs/verdict.ts';

/** The result of a run as the result of a test. */
export interface TestOutcome {
  /** A run without a reward, or a stopped one, is neither passed nor failed. */
  readonly kind: 'passed' | 'failed' | 'errored' | 'skipped';
  /** `failed, reward 0.25`. */
  readonly summary: string;
  readonly messages: readonly TestOutcomeMessage[];
}

/** A message about a problem at a position. */
export interface TestOutcomeMessage {
  readonly text: string;
  readonly file: string;
  /** Null if it has no position in the file. */
  readonly range: Range | null;
  /** The compared texts, if texts were compared. */
  readonly compared: { readonly expected: string; readonly actual: string } | null;
}

/** The result of a run with a message for each evaluate call below 1. */
export function outcomeOf(task: Pick<Task, 'file' | 'range' | 'evaluate'>, record: RunRecord): TestOutcome {
  const location = { file: task.file, range: startOf(task.range), compared: null };
  const failures = failuresOf(task, record);
  if (record.status !== 'error') return outcomeWithoutError(record, location, failures);
  const message = record.error?.message ?? l10n.t('The run failed.');
  const text = [withoutCodeMarks(message), ...failures.map((failure) => failure.text)].join('\n');
  const { file = location.file, range = location.range } = record.error ?? {};
  const messages = [{ text, file, range, compared: null }];
  return { kind: 'errored', summary: verdictOf(record).accessibleText, messages };
}

/** The result of a run without a task and grade: refused, stopped before its start, or ended earlier. */
export function bareOutcome(run: Run): TestOutcome {
  const { error } = run;
  const location = { file: error?.file ?? run.file, range: error?.range ?? null, compared: null };
  if (error === null) return outcomeWithoutError(run, location, []);
  const text = withoutCodeMarks(error.message);
  // Without an agent, nothing is known about the task.
  if (error.code === 'no_agent') return { kind: 'skipped', summary: text, messages: [] };
  return { kind: 'errored', summary: verdictOf(run).accessibleText, messages: [{ text, ...location }] };
}

function outcomeWithoutError(
  run: Run,
  location: Omit<TestOutcomeMessage, 'text'>,
  failures: readonly TestOutcomeMessage[],
): TestOutcome {
  const { kind, accessibleText: summary } = verdictOf(run);
  if (kind === 'passed') return { kind, summary, messages: [] };
  if (run.status !== 'completed' || run.reward === null) return { kind: 'skipped', summary, messages: [] };
  if (failures.length > 0) return { kind: 'failed', summary, messages: failures };
  const text = l10n.t('The reward is {0}.', formatReward(run.reward));
  return { kind: 'failed', summary, messages: [{ text, ...location }] };
}

const ORDER: readonly TestOutcome['kind'][] = ['passed', 'skipped', 'failed', 'errored'];

/** Whether `a` is a worse result than `b`. */
export function isWorse(a: TestOutcome, b: TestOutcome): boolean {
  return ORDER.indexOf(a.kind) > ORDER.indexOf(b.kind);
}

function failuresOf(task: Pick<Task, 'file' | 'evaluate'>, { grade }: RunRecord): readonly TestOutcomeMessage[] {
  return grade.subscores.flatMap(({ name, value, reason }, ordinal) => {
    if (value === null || value >= 1 - 1e-9) return [];
    const call = task.evaluate[ordinal];
    const text = `${name}: ${formatReward(value)}${reason === '' ? '' : `, ${withoutCodeMarks(reason)}`}`;
    return [{ text, file: task.file, range: call?.range ?? null, compared: comparison(call, grade.content) }];
  });
}

function comparison(call: Call | undefined, response: string | null): TestOutcomeMessage['compared'] {
  if (call === undefined || response === null || !RESPONSE_FUNCTIONS.has(call.function)) return null;
  const [expectedTexts] = call.args;
  const texts = Array.isArray(expectedTexts) ? expectedTexts : [expectedTexts];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string' && typeof text !== 'number')) return null;
  return { expected: texts.join('\n'), actual: response };
}

/** The start of a range: underlining a whole task would hide its content. */
function startOf({ start }: Range): Range {
  return { start, end: start };
}
