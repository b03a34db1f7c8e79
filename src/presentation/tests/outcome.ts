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
  const verdict = verdictOf(record);
  const { file } = task;
  if (record.status === 'error') {
    const { message, range, file: at } = record.error ?? { message: l10n.t('The run failed.') };
    const text = [withoutCodeMarks(message), ...failing(task, record).map((one) => one.text)].join('\n');
    return {
      kind: 'errored',
      summary: verdict.accessibleText,
      messages: [{ text, file: at ?? file, range: range ?? startOf(task.range), compared: null }],
    };
  }
  if (verdict.kind === 'passed') return { kind: 'passed', summary: verdict.accessibleText, messages: [] };
  if (record.status !== 'completed' || record.reward === null)
    return { kind: 'skipped', summary: verdict.accessibleText, messages: [] };
  const messages = failing(task, record);
  const noMessage = {
    text: rewardText(record.reward),
    file,
    range: startOf(task.range),
    compared: null,
  };
  return { kind: 'failed', summary: verdict.accessibleText, messages: messages.length === 0 ? [noMessage] : messages };
}

/** The result of a run without a task and grade: refused, stopped before its start, or ended earlier. */
export function bareOutcome(run: Run): TestOutcome {
  const { kind, accessibleText: summary } = verdictOf(run);
  if (kind === 'passed') return { kind, summary, messages: [] };
  // Without an agent, nothing is known about the task.
  if (run.error?.code === 'no_agent')
    return { kind: 'skipped', summary: withoutCodeMarks(run.error.message), messages: [] };
  const location = { file: run.error?.file ?? run.file, range: run.error?.range ?? null, compared: null };
  if (run.error !== null)
    return { kind: 'errored', summary, messages: [{ text: withoutCodeMarks(run.error.message), ...location }] };
  if (run.status !== 'completed' || run.reward === null) return { kind: 'skipped', summary, messages: [] };
  return { kind: 'failed', summary, messages: [{ text: rewardText(run.reward), ...location }] };
}

const ORDER: readonly TestOutcome['kind'][] = ['passed', 'skipped', 'failed', 'errored'];

/** Whether `a` is a worse result than `b`. */
export function isWorse(a: TestOutcome, b: TestOutcome): boolean {
  return ORDER.indexOf(a.kind) > ORDER.indexOf(b.kind);
}

function failing(task: Pick<Task, 'file' | 'evaluate'>, { grade }: RunRecord): readonly TestOutcomeMessage[] {
  return grade.subscores.flatMap(({ name, value, reason }, ordinal) => {
    if (value === null || value >= 1 - 1e-9) return [];
    const call = task.evaluate[ordinal];
    const text = `${name}: ${formatReward(value)}${reason === '' ? '' : `, ${withoutCodeMarks(reason)}`}`;
    return [{ text, file: task.file, range: call?.range ?? null, compared: comparison(call, grade.content) }];
  });
}

function comparison(call: Call | undefined, response: string | null): TestOutcomeMessage['compared'] {
  if (call === undefined || response === null || !RESPONSE_FUNCTIONS.has(call.function)) return null;
  const [expected] = call.args;
  const texts = Array.isArray(expected) ? expected : [expected];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string' && typeof text !== 'number')) return null;
  return { expected: texts.join('\n'), actual: response };
}

function rewardText(reward: number): string {
  return l10n.t('The reward is {0}.', formatReward(reward));
}

/** The start of a range: underlining a whole task would hide its content. */
function startOf({ start }: Range): Range {
  return { start, end: start };
}
