import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { ActionInput } from '../../actions/action.ts';
import { verbOfObject } from '../../actions/verb.ts';
import { splitAgent } from '../../agents/registry.ts';
import { defined } from '../../base/defined.ts';
import { browser } from '../../environments/browser/kind.ts';
import type { Acted, StepInfo } from '../../environments/environment.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { RecordedFileChange } from '../../environments/recorded.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { NO_REWARD } from '../../results/reasons.ts';
import { taskLabel } from '../../tasks/label.ts';
import { taskName } from '../../tasks/name.ts';
import { printCall } from '../../tasks/print.ts';
import type { Call, EnvironmentSpec } from '../../tasks/task.ts';
import { isImported } from '../../traces/origin.ts';
import type { RunRecord, Step } from '../../traces/trace.ts';
import { agentLabel, environmentLabel } from '../labels.ts';
import { hostName } from '../placement/format.ts';
import { joinTexts } from '../plain-text.ts';
import { type CallPosition, callPositions } from './call-tracking.ts';
import type { PanelCall, PanelRun, PanelStep, PanelTurn, PanelVerdict } from './messages.ts';
import type { ReadableRun } from './readable-run.ts';

/** What the presentation of a run needs from its panel. */
export interface PresentationContext {
  /** The URI of a screenshot for the page, from its path in the run's folder. */
  address(screenshot: string): string;
  /** The current zero-based line of a call; null if it is no longer in the file. */
  lineOf(position: CallPosition): number | null;
  readonly pinned: boolean;
}

export function presentRun(run: ReadableRun, steps: readonly Step[], context: PresentationContext): PanelRun {
  const { task, record } = run;
  const host = run.host ?? record?.host ?? null;
  const manual = splitAgent(run.agent)?.kind.editorOnly === true;
  return {
    runId: run.runId,
    traceDir: run.traceDir,
    task: taskLabel(task),
    prompt: run.prompt,
    file: basename(task.file),
    environment: environmentLabel(task.env),
    view: (kindOfType(task.env) ?? browser).view,
    placement: run.runtime,
    imported: isImported(run),
    host: host === null ? null : hostName(host),
    agent: agentLabel(run.agent, taskName(task)),
    seed: run.seed,
    status: run.status,
    retried: (run.retried ?? []).map(({ message }) => withoutCodeMarks(message)),
    startedAt: run.startedAt,
    durationMs: record?.duration_ms ?? null,
    steps: presentSteps(steps, context),
    verdict: presentVerdict(run, steps, context),
    pinned: context.pinned,
    rescorable: record !== null && run.traceDir !== null && task.evaluate.length > 0 && isRescored(task.env),
    waitingAt: run.waitingAt ?? null,
    elsewhere: run.refresh !== undefined,
    manual,
    actions: manual ? (run.actions ?? null) : null,
  };
}

/** Whether everything that the evaluate calls of a task read is recorded. */
function isRescored(env: EnvironmentSpec): boolean {
  const rescoring = kindOfType(env)?.rescoring;
  return rescoring === undefined || rescoring === 'page' || rescoring === 'response';
}

export function presentSteps(steps: readonly Step[], context: PresentationContext): readonly PanelStep[] {
  const positions = callPositions(steps);
  return steps.map((step, at) => presentStep(step, positions[at], context));
}

function presentStep(step: Step, position: CallPosition | undefined, context: PresentationContext): PanelStep {
  const info: StepInfo = step.info;
  const effects = info.acted ?? [];
  const part = partOf(step);
  const turn = turnOf(step);
  const { verb, object } =
    presentPart(step, part) ?? presentCall(step) ?? presentMessage(step, turn) ?? presentAction(step.action, effects);
  // An imported run ends with its logs.
  const isLog = step.source === 'system' && step.observation === null;
  return {
    index: step.index,
    source: step.source,
    durationMs: step.duration_ms,
    verb: isLog ? 'logs' : verb,
    object,
    call: step.call === undefined ? null : panelCall(step.call, position, context),
    value: step.reward,
    reason: typeof step.info['reason'] === 'string' ? step.info['reason'] : null,
    error: step.error?.message ?? null,
    terminated: step.terminated,
    acted: effects,
    messages: info.messages ?? [],
    url: info.url ?? null,
    title: info.title ?? null,
    viewport: info.viewport ?? null,
    ...(step.observation?.dialog && { dialog: step.observation.dialog }),
    ...(info.windows && { windows: info.windows }),
    timing: info.timing ?? null,
    outputs: (info.outputs ?? []).map(({ command, output, exit_code, timed_out = false, duration_ms }) => ({
      command,
      output,
      exitCode: exit_code,
      timedOut: timed_out,
      durationMs: duration_ms,
    })),
    changes:
      info.changes?.map((change) => {
        const { path, kind, before, after } = change;
        // A file whose mode alone has changed has no diff.
        const isRecorded = (kind === 'added' || before !== undefined) && (kind === 'removed' || after !== undefined);
        const readable = isRecorded && before !== after;
        return { path, kind, readable, ...defined({ note: noteOf(change) }) };
      }) ?? null,
    parts: partsOf(step),
    screenshot: step.observation?.screenshot == null ? null : context.address(step.observation.screenshot),
    hasText: step.observation?.text != null,
    ...(part !== null && { part }),
    ...(typeof step.info['depth'] === 'number' && { depth: step.info['depth'] }),
    ...(turn !== null && { turn }),
  };
}

/** A new mode, or what a link leads to: `mode 644 → 755`, `→ src/main.py`. */
function noteOf({ before_mode: before, after_mode: after, target }: RecordedFileChange): string | undefined {
  if (after === '120000') return `→ ${target ?? ''}`;
  if (before === '120000') return l10n.t('was a link');
  if (after === undefined || after === (before ?? '100644')) return undefined;
  const mode = after.slice(-3);
  return before === undefined ? l10n.t('mode {0}', mode) : l10n.t('mode {0} → {1}', before.slice(-3), mode);
}

function partOf({ source, info: { kind } }: Step): NonNullable<PanelStep['part']> | null {
  if (source !== 'tool' && source !== 'subagent') return null;
  if (source === 'tool' || kind === 'tool') return 'tool';
  if (kind === 'subagent') return 'subagent';
  return kind === 'user' ? 'prompt' : null;
}

/** A tool with its result, a sub-agent with its answer, or its prompt, for the list. */
function presentPart({ action, observation, error }: Step, part: PanelStep['part'] | null) {
  if (part == null) return null;
  const text = observation?.text ?? '';
  if (part === 'subagent') return { verb: 'sub-agent', object: text === '' ? '' : quote(text) };
  if (part === 'prompt') return { verb: 'prompt', object: quote(text) };
  const verb = typeof action === 'object' && !Array.isArray(action) ? verbOfObject(action) : 'observation';
  return { verb, object: `→ ${error === null ? shorten(text) : withoutCodeMarks(error.message)}` };
}

/** An answer without an action, for the list. */
function presentMessage({ action }: Step, turn: PanelTurn | null): { verb: string; object: string } | null {
  if (turn === null || (action !== undefined && (!Array.isArray(action) || action.length > 0))) return null;
  const text = turn.message ?? turn.reasoning;
  return text === null ? null : { verb: 'message', object: quote(text) };
}

/** The turn of a model; null if the line is not an answer, or has neither text nor tool calls. */
function turnOf(step: Step): PanelTurn | null {
  if (step.source !== 'agent' && step.info['kind'] !== 'agent') return null;
  const { refusal = null, message = refusal, reasoning = null, model = null, usage, citations = [] } = step.turn ?? {};
  const { action = [] } = step;
  const calls = (Array.isArray(action) ? action : [action]).flatMap((one: ActionInput) => {
    if (typeof one === 'string' || typeof one['name'] !== 'string' || !('arguments' in one)) return [];
    const { name, arguments: args } = one;
    return [{ name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) }];
  });
  if ([message, reasoning, model, usage ?? null].every((one) => one === null) && calls.length + citations.length === 0)
    return null;
  const { prompt_tokens, completion_tokens, cached_tokens, cost_usd } = usage ?? {};
  const number = (value: number): string => value.toLocaleString('en-US');
  return {
    message,
    reasoning,
    calls,
    model,
    usage: [
      ...(prompt_tokens == null ? [] : [l10n.t('{0} tokens in', number(prompt_tokens))]),
      ...(cached_tokens == null ? [] : [l10n.t('{0} of them cached', number(cached_tokens))]),
      ...(completion_tokens == null ? [] : [l10n.t('{0} tokens out', number(completion_tokens))]),
      ...(cost_usd == null ? [] : [`$${cost_usd.toFixed(4)}`]),
    ],
    citations: citations.map(({ text, source, title }) => [title, source, text].filter(Boolean).join(' – ')),
  };
}

const partsSchema = z.array(z.object({ name: z.string(), value: z.number(), reason: z.string() }));

function partsOf({ info }: Step): PanelStep['parts'] {
  const parts = partsSchema.safeParse(info['parts']);
  return parts.success ? parts.data : [];
}

function presentVerdict(run: ReadableRun, steps: readonly Step[], context: PresentationContext): PanelVerdict | null {
  const { record, task } = run;
  if (record === null) return null;
  const { error } = record;
  const positions = callPositions(steps);
  return {
    reward: record.reward,
    success: record.success,
    truncated: record.truncated,
    error: error && { message: error.message, code: error.code, line: errorLine(run, context) },
    warnings: warningsOf(record),
    subscores: record.grade.subscores.flatMap(({ value, weight, reason }, ordinal) => {
      const position: CallPosition = { source: 'evaluate', ordinal };
      const at = positions.findIndex((other) => other?.source === 'evaluate' && other.ordinal === ordinal);
      // As it was executed: a debugger may have changed its arguments.
      const call = steps[at]?.call ?? task.evaluate[ordinal];
      if (call === undefined) return [];
      return [{ call: panelCall(call, position, context), value, weight, reason, step: steps[at]?.index ?? null }];
    }),
  };
}

/** What the run reports beside its reward. The panel itself says that a run has no reward. */
function warningsOf({ grade }: RunRecord): readonly string[] {
  const warning = grade.info?.['warning'];
  return typeof warning === 'string' ? warning.split('\n').filter((line) => line !== '' && line !== NO_REWARD) : [];
}

/** One-based line of the call that failed, if it is still in the file. */
function errorLine({ record, task }: ReadableRun, context: PresentationContext): number | null {
  const at = record?.error?.range?.start;
  if (at === undefined) return null;
  for (const source of ['setup', 'evaluate'] as const) {
    const ordinal = task[source].findIndex(
      ({ range: { start } }) => start.line === at.line && start.character === at.character,
    );
    if (ordinal >= 0) return oneBased(context.lineOf({ source, ordinal }));
  }
  return at.line + 1;
}

function panelCall(call: Call, position: CallPosition | undefined, context: PresentationContext): PanelCall {
  return {
    function: call.function,
    text: printCall(call),
    line: position === undefined ? null : oneBased(context.lineOf(position)),
  };
}

function oneBased(line: number | null): number | null {
  return line === null ? null : line + 1;
}

function presentCall({ call }: Step): { verb: string; object: string } | null {
  return call === undefined ? null : { verb: call.function, object: call.args.map(shorten).join(', ') };
}

/** An action in two parts, for a list: `click` and `“Apply”`. */
export function presentAction(action: Step['action'], effects: readonly Acted[]): { verb: string; object: string } {
  if (action === undefined)
    return { verb: effects[0] === undefined ? 'observation' : verbOf(effects[0].action), object: '' };
  const actions: readonly ActionInput[] = Array.isArray(action) ? action : [action as ActionInput];
  const [first] = actions;
  if (first === undefined) return { verb: 'noop', object: '' };
  const more = Math.max(actions.length, effects.length) - 1;
  const object = joinTexts([objectOf(first, effects[0]), more > 0 ? l10n.t('and {0} more', more) : ''], ' ');
  return { verb: typeof first === 'string' ? verbOf(effects[0]?.action ?? first) : verbOfObject(first), object };
}

function verbOf(action: string): string {
  return /^\s*([A-Za-z_]\w*)/.exec(action)?.[1] ?? action.trim().slice(0, 40);
}

function objectOf(action: ActionInput, effect: Acted | undefined): string {
  if (effect?.text !== undefined && effect.text !== '') return quote(effect.text);
  const name = /“(.*)”/s.exec(effect?.element ?? '')?.[1];
  if (name !== undefined) return quote(name);
  if (effect?.element !== undefined) return effect.element;
  if (effect?.scroll !== undefined) return withSign(effect.scroll.y === 0 ? effect.scroll.x : effect.scroll.y);
  if (typeof action === 'string') {
    const argumentText = /\(([\s\S]*)\)\s*$/.exec(action)?.[1] ?? '';
    const text = /^\s*(['"])([\s\S]*?)\1/.exec(argumentText)?.[2];
    return text === undefined ? shorten(argumentText.trim()) : quote(text);
  }
  const verb = verbOfObject(action);
  if (action['name'] === verb && 'arguments' in action) return shorten(action['arguments'] ?? {});
  return Object.entries(action)
    .filter(([key, value]) => key !== 'type' && value !== verb)
    .map(([key, value]) => (key === verb || 'type' in action ? shorten(value) : `${key} ${shorten(value)}`))
    .join(', ');
}

function withSign(pixels: number): string {
  return pixels > 0 ? `+${pixels}` : String(pixels);
}

function quote(text: string): string {
  return `“${clip(text.replace(/\s+/g, ' '))}”`;
}

function shorten(value: unknown): string {
  return clip(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
