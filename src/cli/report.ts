import { printInputs } from '../actions/print-input.ts';
import type { VerdictPart } from '../functions/declaration.ts';
import { excerpt } from '../functions/words.ts';
import { type HostProgress, progressByHost } from '../results/by-host.ts';
import { figuresOf, headlineOf } from '../results/figures.ts';
import { formatReward, isSuccess } from '../results/reward.ts';
import { jobStatistics } from '../results/statistics.ts';
import { statusWord } from '../results/status.ts';
import { printCall } from '../tasks/print.ts';
import type { Run, RunRecord, Step } from '../traces/trace.ts';
import type { Output } from './output.ts';

/** Maximum number of parts of a value to print. */
const MAX_PARTS = 20;

/** Styles text for its stream: results and notes may differ. */
export type Paint = Output['paint'];

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `12 steps`. */
export function countText(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Notes how many of the tasks cannot run, if any. */
export function noteRefusals(refusals: number, tasks: number, output: Output): void {
  if (refusals === 0) return;
  const hint = 'To see why, run taskwright validate.';
  output.note(output.paintNote('yellow', `${refusals} of ${countText(tasks, 'task')} cannot run. ${hint}`));
}

function mark(value: number | null, paint: Paint): string {
  if (value === null) return paint('yellow', '!');
  return isSuccess(value) ? paint('green', '✓') : paint('red', '✗');
}

const COLORS = { none: 'dim', pass: 'green', fail: 'yellow', error: 'red' } as const;

/** The result of a job: the headline in the color of its worst part, and the figures of a job with several runs. */
export function resultWords(runs: readonly Run[], paint: Paint): string[] {
  const statistics = jobStatistics(runs);
  const { text, kind } = headlineOf(statistics);
  const figures = statistics.runs < 2 ? [] : figuresOf(statistics);
  return [paint(COLORS[kind], text), ...figures.map(({ name, value }) => `${name} ${value}`)];
}

/** `build-1: 2 running, 7 ended · build-2: 9 ended` */
export function hostWords(hosts: readonly HostProgress[]): string {
  return hosts
    .map(({ host, running, ended }) => `${host}: ${running === 0 ? '' : `${running} running, `}${ended} ended`)
    .join(' · ');
}

/** Where the runs of a job were made; no line if that is one place. */
export function hostLines(runs: readonly Run[]): string[] {
  const hosts = progressByHost(runs.map(({ host }) => ({ host, running: false })));
  return hosts.length === 0 ? [] : [hostWords(hosts)];
}

/** The verdict of one run: a line, then its error, and a line for each evaluate call with its reason. */
export function verdictLines(run: Run | RunRecord, paint: Paint): string[] {
  const facts = [countText(run.steps, 'step'), duration(run.duration_ms)];
  if (run.status !== 'completed' && run.reward !== null) facts.push(`reward ${formatReward(run.reward)}`);
  if (run.truncated) facts.push('stopped by a limit');
  if (run.edited) facts.push('edited in the debugger, not counted');
  else if (run.debugged) facts.push('debugged');
  if ('retried' in run && run.retried !== undefined) facts.push(`attempt ${run.retried.length + 1}`);
  if (run.trace_dir === null && run.steps === 0) facts.splice(0, 2, 'not started');
  const status = run.status === 'completed' ? formatReward(run.reward) : statusWord(run.status);
  const value = run.status === 'completed' ? run.reward : null;
  const lines = [
    `${mark(value, paint)} ${status.padEnd(9)} ${paint('bold', run.task_id)}  ${paint('dim', facts.join(', '))}`,
  ];
  if (run.error !== null) {
    const { file, range, code, message } = run.error;
    const location =
      file === undefined || range === undefined ? '' : `${file}:${range.start.line + 1}:${range.start.character + 1}: `;
    lines.push(`    ${paint('yellow', `${location}${message} (${code})`)}`);
  }
  if (!('grade' in run)) return lines;
  for (const { name, value, reason, parts = [] } of run.grade.subscores) {
    lines.push(`    ${mark(value, paint)} ${formatReward(value).padEnd(5)} ${name}  ${paint('dim', reason)}`);
    lines.push(...partLines(parts, paint));
  }
  const warning = run.grade.info['warning'];
  if (typeof warning === 'string') lines.push(`    ${paint('yellow', warning)}`);
  return lines;
}

/** The parts of a value that did not pass, such as failed tests of a report. */
function partLines(parts: readonly VerdictPart[], paint: Paint): string[] {
  const incomplete = parts.filter(({ value }) => value < 1);
  const lines = incomplete
    .slice(0, MAX_PARTS)
    .map(
      ({ name, value, reason }) =>
        `        ${mark(value, paint)} ${value === 0 ? '' : `${formatReward(value)} `}${name}  ${paint('dim', excerpt(reason, 160).slice(1, -1))}`,
    );
  const more = incomplete.length - MAX_PARTS;
  return more > 0 ? [...lines, `        ${paint('dim', `and ${more} more`)}`] : lines;
}

/** One step of a trace. */
export function stepLines(step: Step, paint: Paint): string[] {
  const subject =
    step.call !== undefined
      ? printCall(step.call)
      : step.action !== undefined
        ? printInputs(step.action).join('; ')
        : (step.turn?.message ??
          step.turn?.refusal ??
          SUBJECTS[String(step.info['kind'])] ??
          (step.observation === null ? 'logs' : step.index === 0 ? 'first observation' : 'observation'));
  const depth = Number(step.info['depth'] ?? 0);
  const value =
    step.source === 'evaluate' || (step.reward !== null && step.reward !== 0) ? `  ${formatReward(step.reward)}` : '';
  const lines = [
    `${String(step.index).padStart(4)}  ${step.source.padEnd(8)}  ${'  '.repeat(depth)}${subject}${value}  ${paint('dim', duration(step.duration_ms))}`,
  ];
  const reason = step.error?.message ?? step.info['reason'] ?? step.turn?.reasoning ?? resultOf(step);
  if (typeof reason === 'string' && reason !== '') {
    lines.push(`                ${step.error === null ? paint('dim', reason) : paint('yellow', reason)}`);
  }
  return lines;
}

/** What lines of an imported trace are that are neither calls nor actions. */
const SUBJECTS: Readonly<Record<string, string>> = { subagent: 'sub-agent', user: 'prompt' };

/** The result of a tool, or the prompt or the answer of a sub-agent. */
function resultOf({ source, observation }: Step): string | null {
  const text = source === 'tool' || source === 'subagent' ? observation?.text : null;
  return text == null || text === '' ? null : excerpt(text, 160).slice(1, -1);
}
