import type { Run, RunRecord } from '../../runs/store/trace.ts';
import type { Range } from '../../tasks/range.ts';
import type { Call, Task } from '../../tasks/task.ts';
import { formatReward, verdictOf } from '../runs/verdict.ts';

/** How a run stands as the result of a test. */
export interface TestOutcome {
  /** A run without a reward, or one that was stopped, is neither passed nor failed. */
  readonly kind: 'passed' | 'failed' | 'errored' | 'skipped';
  /** The whole in a line: `failed, reward 0.25`. */
  readonly summary: string;
  readonly messages: readonly TestOutcomeMessage[];
}

/** What went wrong at one place. */
export interface TestOutcomeMessage {
  readonly text: string;
  readonly file: string;
  /** Null: nothing of it stands in the file. */
  readonly range: Range | null;
  /** What was compared, where it is text. */
  readonly compared: { readonly expected: string; readonly actual: string } | null;
}

/** Functions whose first argument is the text, or texts, that the response is compared with. */
const COMPARE_RESPONSE = new Set([
  'response_is',
  'response_includes',
  'response_match',
  'exact_match',
  'contains',
  'contains_any',
  'contains_all',
  'numeric_match',
  'f1_score',
]);

/** What a run says of its task as a test: each evaluate call below 1 is a message at the call's place. */
export function outcomeOf(task: Pick<Task, 'file' | 'range' | 'evaluate'>, record: RunRecord): TestOutcome {
  const verdict = verdictOf(record);
  const { file } = task;
  if (record.status === 'error') {
    const { message, range, file: at } = record.error ?? { message: 'The run failed.' };
    const text = [message, ...failing(task, record).map((one) => one.text)].join('\n');
    return {
      kind: 'errored',
      summary: verdict.spoken,
      messages: [{ text, file: at ?? file, range: range ?? head(task.range), compared: null }],
    };
  }
  if (verdict.kind === 'passed') return { kind: 'passed', summary: verdict.spoken, messages: [] };
  if (record.status !== 'completed' || record.reward === null)
    return { kind: 'skipped', summary: verdict.spoken, messages: [] };
  const messages = failing(task, record);
  const nothing = {
    text: `The reward is ${formatReward(record.reward)}.`,
    file,
    range: head(task.range),
    compared: null,
  };
  return { kind: 'failed', summary: verdict.spoken, messages: messages.length === 0 ? [nothing] : messages };
}

/** The same without its task and its grade: of a run that was refused, was stopped before its turn, or ended earlier. */
export function bareOutcome(run: Run): TestOutcome {
  const { kind, spoken: summary } = verdictOf(run);
  if (kind === 'passed') return { kind, summary, messages: [] };
  // Nobody was there to do it: that says nothing about the task.
  if (run.error?.code === 'no_agent') return { kind: 'skipped', summary: run.error.message, messages: [] };
  const place = { file: run.error?.file ?? run.file, range: run.error?.range ?? null, compared: null };
  if (run.error !== null) return { kind: 'errored', summary, messages: [{ text: run.error.message, ...place }] };
  if (run.status !== 'completed' || run.reward === null) return { kind: 'skipped', summary, messages: [] };
  return { kind: 'failed', summary, messages: [{ text: rewardIs(run.reward), ...place }] };
}

const ORDER: readonly TestOutcome['kind'][] = ['passed', 'skipped', 'failed', 'errored'];

/** Whether of two results of a task the first is the one to show. */
export function worse(a: TestOutcome, b: TestOutcome): boolean {
  return ORDER.indexOf(a.kind) > ORDER.indexOf(b.kind);
}

function failing(task: Pick<Task, 'file' | 'evaluate'>, { grade }: RunRecord): readonly TestOutcomeMessage[] {
  return grade.subscores.flatMap(({ name, value, reason }, ordinal) => {
    if (value === null || value >= 1 - 1e-9) return [];
    const call = task.evaluate[ordinal];
    const text = `${name}: ${formatReward(value)}${reason === '' ? '' : `, ${reason}`}`;
    return [{ text, file: task.file, range: call?.range ?? null, compared: comparison(call, grade.content) }];
  });
}

function comparison(call: Call | undefined, response: string | null): TestOutcomeMessage['compared'] {
  if (call === undefined || response === null || !COMPARE_RESPONSE.has(call.function)) return null;
  const [wanted] = call.args;
  const texts = Array.isArray(wanted) ? wanted : [wanted];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string' && typeof text !== 'number')) return null;
  return { expected: texts.join('\n'), actual: response };
}

function rewardIs(reward: number): string {
  return `The reward is ${formatReward(reward)}.`;
}

/** The place where a range begins: a whole task underlined would hide what is in it. */
function head({ start }: Range): Range {
  return { start, end: start };
}
