import * as l10n from '@vscode/l10n';
import type { PanelCall, PanelRun, PanelStep } from '../src/presentation/runs/messages.ts';
import { withoutCodeMarks } from '../src/results/code-spans.ts';
import { formatReward } from '../src/results/reward.ts';
import { withCodeSpans } from './code-spans.ts';
import { type Child, el, fill, linkButton, set, setText } from './dom.ts';
import { icon, progressRing } from './icons.ts';
import { drawPart } from './part.ts';
import { shownStep } from './store.ts';
import type { Tools, View } from './view.ts';
import { isRunning, outcomeIcon, outcomeOf, outcomeWord } from './words.ts';

interface CallResult {
  readonly call: PanelCall;
  readonly value: number | null;
  readonly weight: number;
  readonly reason: string;
  readonly failed: boolean;
  readonly step: number | null;
  /** The code of the run's error, if this call caused it. */
  readonly code: string | null;
  /** The parts of the value that did not pass. */
  readonly failedParts: PanelStep['parts'];
}

/** How many parts of a value that did not pass are shown beside their call. */
const MAX_PARTS = 3;

/** A row for each evaluate call, after notes about errors, and the current activity of a run in progress. */
export function verdict(tools: Tools): View {
  const notes = el('div', { class: 'notes' });
  const rows = el('ul', { class: 'verdicts', 'aria-label': l10n.t('Evaluate calls') });
  const doingText = el('span', { class: 'doing-text' });
  const doingSign = el('span', { class: 'doing-sign' }, progressRing());
  const doing = el('div', { class: 'doing', hidden: true }, doingSign, doingText);
  const element = el('section', { class: 'verdict', 'aria-label': l10n.t('Verdict') }, notes, rows, doing);
  const buttons = new Map<number, HTMLElement>();

  return {
    element,
    update(state, before) {
      const { run } = state;
      element.hidden = run === null;
      if (run === null) return;
      const running = isRunning(run);
      doing.hidden = !running;
      if (running) {
        const phase = run.elsewhere ? l10n.t('running in another process') : (state.phase ?? l10n.t('Starting'));
        setText(doingText, [phase, state.doing].filter((part) => part !== null).join(' · '));
      }
      if (run !== before.run) {
        const isPaused = run.status === 'paused';
        if (isPaused !== (before.run?.status === 'paused')) fill(doingSign, isPaused ? icon('paused') : progressRing());
        fill(notes, ...notesOf(run, tools));
        const results = failuresFirst(callResults(run));
        if (before.run === null || !sameCalls(results, failuresFirst(callResults(before.run)))) {
          buttons.clear();
          fill(rows, ...results.map((call) => drawRow(call, tools, buttons)));
        }
        rows.hidden = results.length === 0;
      }
      const shownIndex = shownStep(state)?.index;
      for (const [index, button] of buttons) set(button, { 'aria-current': index === shownIndex ? 'step' : null });
    },
  };
}

/** The calls of the verdict, or of the evaluate steps so far. */
function callResults(run: PanelRun): readonly CallResult[] {
  const errors = new Map(run.steps.map((step) => [step.index, step.error] as const));
  // Where files are shown, the tests of a report are a list of their own.
  const failedParts = new Map(
    run.steps.map(({ index, parts }) => [
      index,
      run.view.shows === 'files' ? [] : parts.filter(({ value }) => value < 1),
    ]),
  );
  if (run.verdict !== null && run.verdict.subscores.length > 0) {
    const { error, subscores } = run.verdict;
    const results = subscores.map((score) => ({
      ...score,
      failed: score.value === null && score.step !== null && (errors.get(score.step) ?? null) !== null,
      code: null,
      failedParts: failedParts.get(score.step ?? -1) ?? [],
    }));
    const failedCall = results.findLast(({ failed }) => failed);
    // The error of a call is shown once, at the call.
    return error === null || failedCall === undefined || error.line !== failedCall.call.line
      ? results
      : results.map((one) => (one === failedCall ? { ...one, reason: error.message, code: error.code } : one));
  }
  const stepResults: CallResult[] = [];
  for (const step of run.steps) {
    if (step.source !== 'evaluate' || step.call === null) continue;
    stepResults.push({
      call: step.call,
      value: step.value,
      weight: 1,
      reason: step.error ?? step.reason ?? '',
      failed: step.error !== null,
      step: step.index,
      code: null,
      failedParts: failedParts.get(step.index) ?? [],
    });
  }
  return stepResults;
}

function sameCalls(a: readonly CallResult[], b: readonly CallResult[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Failures first, the rest in the order of the task. */
function failuresFirst(results: readonly CallResult[]): readonly CallResult[] {
  const order = (one: CallResult): number =>
    ({ error: 0, fail: 1, partial: 2, none: 3, pass: 4 })[outcomeOf(one.value, one.failed)];
  return results.toSorted((a, b) => order(a) - order(b));
}

function drawRow(result: CallResult, { store, host }: Tools, buttons: Map<number, HTMLElement>): HTMLElement {
  const outcome = outcomeOf(result.value, result.failed);
  const { step, call } = result;
  const text =
    step === null
      ? el('code', { title: call.text }, call.text)
      : linkButton(call.text, { class: 'link call', title: call.text }, () =>
          store.dispatch({ type: 'choose', index: step }),
        );
  if (step !== null) buttons.set(step, text);
  const hiddenCount = result.failedParts.length - MAX_PARTS;
  const value = result.value === null || outcome !== 'partial' ? '' : formatReward(result.value);
  return el(
    'li',
    { class: `verdict-row is-${outcome}` },
    el('span', { class: 'verdict-sign', title: outcomeWord[outcome] }, icon(outcomeIcon[outcome])),
    el('span', { class: 'visually-hidden' }, `${outcomeWord[outcome]}: `),
    el('span', { class: 'verdict-call' }, text),
    el(
      'span',
      { class: 'verdict-reason', title: withoutCodeMarks(result.reason) },
      value !== '' && el('strong', {}, value),
      ...drawMessage(result.reason, host),
      result.code !== null && el('code', { class: 'dim' }, ` ${result.code}`),
      result.weight !== 1 &&
        el('span', { class: 'dim' }, ` ${l10n.t('weight {0}', String(Number(result.weight.toFixed(2))))}`),
      ...result.failedParts
        .slice(0, MAX_PARTS)
        .map((part) => drawPart({ ...part, reason: part.reason.split('\n')[0] ?? '' })),
      hiddenCount > 0 && el('span', { class: 'block dim' }, l10n.t('and {0} more', hiddenCount)),
    ),
    call.line === null
      ? el(
          'span',
          { class: 'dim verdict-line', title: l10n.t('This call is no longer in the task file') },
          l10n.t('not in file'),
        )
      : linkButton(
          l10n.t('line {0}', call.line),
          { class: 'link verdict-line', title: l10n.t('Show the call in the task file') },
          () =>
            step === null
              ? host.post({ type: 'revealLine', line: call.line ?? 1 })
              : host.post({ type: 'reveal', index: step }),
        ),
  );
}

/** A file with a line in a text, such as `shop.functions.ts:12`. */
const LOCATION = /([\w.@-]+(?:\/[\w.@-]+)*\.(?:[cm]?[jt]s|py)):(\d+)(?::\d+)?/g;

/** A reason or an error, with its code in code font and its locations in files of the task's folder as links. */
function drawMessage(message: string, host: Tools['host']): readonly Child[] {
  return withCodeSpans(message, (part) => withLinks(part, host));
}

function withLinks(text: string, host: Tools['host']): readonly Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(LOCATION)) {
    const [location, path = '', line = '1'] = match;
    parts.push(
      text.slice(end, match.index),
      linkButton(location, { title: l10n.t('Show in {0}', path) }, () =>
        host.post({ type: 'openFile', path, line: Number(line) }),
      ),
    );
    end = match.index + location.length;
  }
  return [...parts, text.slice(end)];
}

function notesOf(run: PanelRun, { host }: Tools): readonly HTMLElement[] {
  const notes: HTMLElement[] = [];
  const end = run.verdict;
  if (end?.error && !callResults(run).some(({ code }) => code !== null)) {
    const { message, code, line } = end.error;
    notes.push(
      note(
        'error',
        drawMessage(message, host),
        el('code', { class: 'dim' }, code),
        line !== null &&
          linkButton(
            l10n.t('line {0}', line),
            { class: 'link verdict-line', title: l10n.t('Show in the task file') },
            () => host.post({ type: 'revealLine', line }),
          ),
      ),
    );
  }
  for (const warning of end?.warnings ?? []) notes.push(note('warning', drawMessage(warning, host)));
  if (run.status === 'interrupted') {
    notes.push(note('warning', l10n.t('The run was interrupted. The steps recorded until then are shown.')));
  }
  if (end?.truncated)
    notes.push(note('warning', l10n.t('The step limit or the time limit was reached before the agent finished.')));
  // A file of another program may contain the reward, but no evaluate calls.
  if (!run.imported && run.status === 'completed' && end !== null && end.subscores.length === 0) {
    notes.push(
      end.reward === null
        ? note('warning', l10n.t('No reward: the task has no evaluate calls and its environment gives no reward.'))
        : note('plain', l10n.t('The task has no evaluate calls. The reward is from the environment.')),
    );
  }
  return notes;
}

function note(
  kind: 'error' | 'warning' | 'plain',
  text: string | readonly Child[],
  ...more: readonly (Node | false)[]
): HTMLElement {
  return el(
    'p',
    { class: `note is-${kind}` },
    kind !== 'plain' && icon(kind),
    el('span', { class: 'note-text' }, ...(typeof text === 'string' ? [text] : text), ' ', more[0]),
    more[1],
  );
}
