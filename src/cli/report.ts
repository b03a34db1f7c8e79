import type { VerdictPart } from '../functions/declaration.ts';
import { excerpt } from '../functions/words.ts';
import { jobStatistics } from '../runs/results/statistics.ts';
import type { Run, RunRecord, Step } from '../runs/store/trace.ts';
import { printCall } from '../tasks/print.ts';
import type { Output } from './output.ts';

/** So many parts of a value are named. */
const MOST_PARTS = 20;

/** How text is painted where it goes: results and notes may differ. */
export type Paint = Output['paint'];

/** A number as short as it can be: `1`, `0.5`, `0.333`. */
export function short(value: number | null): string {
  return value === null ? '–' : String(Math.round(value * 1000) / 1000);
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `12 steps`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function mark(value: number | null, paint: Paint): string {
  if (value === null) return paint('yellow', '!');
  return value >= 1 - 1e-9 ? paint('green', '✓') : paint('red', '✗');
}

/** What the runs of a job come to, with the spread; nothing where there are not several. */
export function statisticsWords(runs: readonly Run[]): string[] {
  const { mean_reward, std_reward, success_interval, pass_at, errors, cancelled } = jobStatistics(runs);
  if (runs.length < 2) return [];
  const words: string[] = [];
  if (success_interval !== null) words.push(`95 % interval ${success_interval.map(percent).join(' to ')}`);
  if (mean_reward !== null) words.push(`mean reward ${short(mean_reward)} ± ${short(std_reward)}`);
  for (const { k, value } of pass_at.filter(({ k }) => k > 1)) words.push(`pass@${k} ${percent(value)}`);
  if (errors > 0) words.push(counted(errors, 'error'));
  if (cancelled > 0) words.push(`${cancelled} cancelled`);
  return words;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The verdict of one run: a line, then one for each evaluate call with its reason, or what went wrong. */
export function verdictLines(run: Run | RunRecord, paint: Paint): string[] {
  const facts = [counted(run.steps, 'step'), duration(run.duration_ms)];
  if (run.status !== 'completed' && run.reward !== null) facts.push(`reward ${short(run.reward)}`);
  if (run.truncated) facts.push('cut short by a limit');
  if ('retried' in run && run.retried !== undefined) facts.push(`attempt ${run.retried.length + 1}`);
  if (run.trace_dir === null && run.steps === 0) facts.splice(0, 2, 'not started');
  const status = run.status === 'completed' ? short(run.reward) : run.status;
  const value = run.status === 'completed' ? run.reward : null;
  const lines = [
    `${mark(value, paint)} ${status.padEnd(9)} ${paint('bold', run.task_id)}  ${paint('dim', facts.join(', '))}`,
  ];
  if (run.error !== null) {
    const { file, range, code, message } = run.error;
    const place =
      file === undefined || range === undefined ? '' : `${file}:${range.start.line + 1}:${range.start.character + 1}: `;
    lines.push(`    ${paint('yellow', `${place}${message} (${code})`)}`);
  }
  if (!('grade' in run)) return lines;
  for (const { name, value, reason, parts = [] } of run.grade.subscores) {
    lines.push(`    ${mark(value, paint)} ${short(value).padEnd(5)} ${name}  ${paint('dim', reason)}`);
    lines.push(...partLines(parts, paint));
  }
  const warning = run.grade.info['warning'];
  if (typeof warning === 'string') lines.push(`    ${paint('yellow', warning)}`);
  return lines;
}

/** What a value lacks: of the tests of a report those that do not pass. */
function partLines(parts: readonly VerdictPart[], paint: Paint): string[] {
  const wanting = parts.filter(({ value }) => value < 1);
  const lines = wanting
    .slice(0, MOST_PARTS)
    .map(
      ({ name, value, reason }) =>
        `        ${mark(value, paint)} ${value === 0 ? '' : `${short(value)} `}${name}  ${paint('dim', excerpt(reason, 160).slice(1, -1))}`,
    );
  const more = wanting.length - MOST_PARTS;
  return more > 0 ? [...lines, `        ${paint('dim', `and ${more} more`)}`] : lines;
}

/** One line of a trace for people. */
export function stepLines(step: Step, paint: Paint): string[] {
  const what =
    step.call !== undefined
      ? printCall(step.call)
      : step.action !== undefined
        ? printAnswer(step.action)
        : 'first observation';
  const value =
    step.source === 'evaluate' || (step.reward !== null && step.reward !== 0) ? `  ${short(step.reward)}` : '';
  const lines = [
    `${String(step.index).padStart(4)}  ${step.source.padEnd(8)}  ${what}${value}  ${paint('dim', duration(step.duration_ms))}`,
  ];
  const reason = step.error?.message ?? step.info['reason'];
  if (typeof reason === 'string' && reason !== '') {
    lines.push(`                ${step.error === null ? paint('dim', reason) : paint('yellow', reason)}`);
  }
  return lines;
}

function printAnswer(action: NonNullable<Step['action']>): string {
  const actions = Array.isArray(action) ? action : [action];
  return actions.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('; ');
}
