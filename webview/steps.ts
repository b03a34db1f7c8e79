import * as l10n from '@vscode/l10n';
import type { PanelStep } from '../src/editor/panel/messages.ts';
import { formatReward } from '../src/runs/results/reward.ts';
import { el, linkButton, on, set } from './dom.ts';
import { type IconName, icon, verbIcon } from './icons.ts';
import { type StepNumber, stepName, stepNumbers } from './step-numbers.ts';
import { isFollowing, positionOf, shownStep } from './store.ts';
import type { Tools, View } from './view.ts';
import { WindowedList, type WindowItem } from './windowed.ts';
import { duration, isRunning, outcomeIcon, phaseOf, stepOutcome, stepWords } from './words.ts';

/** Height of a row in pixels; steps.css has the same value. */
const ROW = 22;

type StepRow = WindowItem & {
  readonly kind: 'step';
  readonly step: PanelStep;
  readonly position: number;
  readonly number: StepNumber;
};
type Row = (WindowItem & { readonly kind: 'head'; readonly phase: string }) | StepRow;

/** The list of steps, grouped by phase. */
export function stepList(tools: Tools): View {
  const scroller = el('div', {
    class: 'steps',
    role: 'listbox',
    'aria-label': l10n.t('Steps'),
    'aria-orientation': 'vertical',
  });
  const follow = linkButton(l10n.t('Follow the newest step'), { class: 'link follow', hidden: true }, () =>
    tools.store.dispatch({ type: 'choose', index: null }),
  );
  const element = el('section', { class: 'steps-area', 'aria-label': l10n.t('Steps') }, scroller, follow);
  let rows: readonly Row[] = [];
  let total = 0;
  const list = new WindowedList<Row>(scroller, {
    pitch: ROW,
    draw: (row) => (row.kind === 'head' ? drawHead(row.phase) : mark(drawStep(row, total), row.step)),
  });

  /** Selecting another row changes only attributes of rendered rows. */
  function mark(row: HTMLElement, step: PanelStep): HTMLElement {
    const shown = shownStep(tools.store.state);
    const chosen = shown?.index === step.index;
    set(row, { 'aria-selected': String(chosen), tabindex: chosen ? 0 : -1 });
    return row;
  }

  function select(position: number): void {
    const steps = tools.store.state.run?.steps ?? [];
    const step = steps[Math.min(Math.max(position, 0), steps.length - 1)];
    if (step !== undefined) tools.store.dispatch({ type: 'choose', index: step.index });
  }

  on(scroller, 'click', (event) => {
    const index = indexOfRow(event.target);
    if (index !== null) tools.store.dispatch({ type: 'choose', index });
  });
  on(scroller, 'dblclick', (event) => reveal(indexOfRow(event.target)));
  function reveal(index: number | null): void {
    const steps = tools.store.state.run?.steps ?? [];
    if (index !== null && steps[positionOf(steps, index)]?.call) tools.host.post({ type: 'reveal', index });
  }
  on(scroller, 'keydown', (event) => {
    const steps = tools.store.state.run?.steps ?? [];
    const shown = shownStep(tools.store.state);
    if (shown === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = positionOf(steps, shown.index);
    const to = list.positionAfter(event.key, at, steps.length, true);
    if (to === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (to === undefined) reveal(shown.index);
    else select(to);
  });

  return {
    element,
    update(state, before) {
      const steps = state.run?.steps ?? [];
      const changed = steps !== before.run?.steps;
      const shown = shownStep(state);
      const shownBefore = shownStep(before);
      follow.hidden = !(state.select !== null && state.run !== null && isRunning(state.run));
      scroller.hidden = steps.length === 0;
      if (!changed && shown === shownBefore) return;
      if (changed) {
        total = steps.length;
        rows = rowsOf(steps, rows);
      }
      const keptIndex = shown === null ? -1 : rows.findIndex((row) => row.kind === 'step' && row.step === shown);
      const hadFocus = scroller.contains(document.activeElement);
      list.show(rows, keptIndex);
      if (changed) for (const row of scroller.querySelectorAll('[role=option]')) set(row, { 'aria-setsize': total });
      for (const step of new Set([shownBefore, shown])) {
        const row = step && list.elementOf(keyOf(step));
        if (step && row) mark(row, step);
      }
      if (keptIndex >= 0 && (shown !== shownBefore || isFollowing(state))) {
        list.reveal(keptIndex, rows[keptIndex - 1]?.kind === 'head' ? 1 : 0);
        const row = shown && list.elementOf(keyOf(shown));
        if (hadFocus && row) row.focus({ preventScroll: true });
      }
    },
  };
}

function keyOf(step: PanelStep): string {
  return `step ${step.index}`;
}

/** The rows for these steps. Unchanged rows of `before` are reused, so that they are not rendered again. */
function rowsOf(steps: readonly PanelStep[], before: readonly Row[]): readonly Row[] {
  const rowsByKey = new Map(before.map((row) => [row.key, row]));
  const rows: Row[] = [];
  let phase: string | null = null;
  const numbers = stepNumbers(steps);
  for (const [position, step] of steps.entries()) {
    const number = numbers[position];
    if (number === undefined) continue;
    if (phaseOf(step) !== phase) {
      phase = phaseOf(step);
      const key = `${phase} before ${step.index}`;
      rows.push(rowsByKey.get(key) ?? { kind: 'head', key, phase });
    }
    const old = rowsByKey.get(keyOf(step));
    rows.push(
      old?.kind === 'step' && old.step === step ? old : { kind: 'step', key: keyOf(step), step, position, number },
    );
  }
  return rows;
}

function drawHead(phase: string): HTMLElement {
  // The accessible name of each option contains the phase, because this row may not be rendered.
  return el('div', { class: 'steps-head', 'aria-hidden': 'true' }, phase);
}

function drawStep({ step, position, number }: StepRow, total: number): HTMLElement {
  const outcome = stepOutcome(step);
  const value = step.value === null || (outcome === null && step.value === 0) ? null : formatReward(step.value);
  return el(
    'div',
    {
      class: `row${outcome ? ` is-${outcome}` : ''}${step.error === null ? '' : ' is-error'}`,
      role: 'option',
      title: step.error ?? stepWords(step),
      'data-index': step.index,
      'data-vscode-context': JSON.stringify({
        webviewSection: step.source === 'agent' ? 'action' : 'step',
        index: step.index,
        preventDefaultContextMenuItems: true,
      }),
      'aria-posinset': position + 1,
      'aria-setsize': total,
    },
    el('span', { class: 'visually-hidden' }, `${stepName(number)}: `),
    el('span', { class: 'row-number', 'aria-hidden': 'true' }, number.kind === 'agent' ? String(number.number) : ''),
    icon(iconOf(step)),
    el('span', { class: 'row-text' }, el('code', {}, step.verb), ' ', el('span', { class: 'dim' }, step.object)),
    step.error !== null && el('span', { class: 'visually-hidden' }, l10n.t('error: {0}', step.error)),
    value !== null && el('span', { class: 'visually-hidden' }, l10n.t('value')),
    value !== null && el('span', { class: 'row-value' }, value),
    el('span', { class: 'row-time' }, duration(step.durationMs)),
  );
}

function iconOf(step: PanelStep): IconName {
  const outcome = stepOutcome(step);
  if (outcome !== null) return outcomeIcon[outcome];
  if (step.error !== null) return 'error';
  if (step.source === 'setup') return 'gear';
  return step.source === 'system' ? 'dot' : verbIcon(step.verb);
}

function indexOfRow(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest('[data-index]') : null;
  return row === null ? null : Number(row.getAttribute('data-index'));
}
