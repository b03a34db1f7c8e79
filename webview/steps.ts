import * as l10n from '@vscode/l10n';
import type { PanelStep } from '../src/presentation/runs/messages.ts';
import { withoutCodeMarks } from '../src/results/code-spans.ts';
import { formatReward } from '../src/results/reward.ts';
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
  /** Lines of sub-agents make the list a tree. */
  readonly isTree: boolean;
  /** Whether the lines of a sub-agent are shown; null for lines without lines of their own. */
  readonly open: boolean | null;
};
type Row = (WindowItem & { readonly kind: 'head'; readonly phase: string }) | StepRow;

/** The list of steps, grouped by phase; a tree if there are sub-agents. */
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
  let runId: string | null = null;
  /** The steps without those of closed sub-agents. */
  let visible: readonly PanelStep[] = [];
  /** Indexes of the sub-agents whose lines are hidden. */
  const closedAgents = new Set<number>();
  const list = new WindowedList<Row>(scroller, {
    pitch: ROW,
    draw: (row) => (row.kind === 'head' ? drawHead(row.phase) : mark(drawStep(row, total), row.step)),
  });

  /** Selecting another row changes only attributes of rendered rows. */
  function mark(row: HTMLElement, step: PanelStep): HTMLElement {
    const current = shownStep(tools.store.state);
    const isSelected = current?.index === step.index;
    set(row, { 'aria-selected': String(isSelected), tabindex: isSelected ? 0 : -1 });
    return row;
  }

  function select(step: PanelStep | undefined): void {
    if (step !== undefined) tools.store.dispatch({ type: 'choose', index: step.index });
  }

  function toggle(step: PanelStep): void {
    if (!closedAgents.delete(step.index)) closedAgents.add(step.index);
    arrange(tools.store.state.run?.steps ?? []);
    const current = shownStep(tools.store.state);
    // The shown line may be hidden now.
    if (current !== null && !visible.includes(current)) select(step);
    list.show(rows, rowOf(step));
  }

  function arrange(steps: readonly PanelStep[]): void {
    visible = visibleSteps(steps, closedAgents);
    rows = rowsOf(steps, visible, closedAgents, rows);
  }

  function rowOf(step: PanelStep | null): number {
    return rows.findIndex((row) => row.kind === 'step' && row.step === step);
  }

  on(scroller, 'click', (event) => {
    const index = indexOfRow(event.target);
    if (index === null) return;
    const step = visible.find((one) => one.index === index);
    if (step !== undefined && event.target instanceof Element && event.target.closest('.twistie')) toggle(step);
    else tools.store.dispatch({ type: 'choose', index });
  });
  on(scroller, 'dblclick', (event) => reveal(indexOfRow(event.target)));
  function reveal(index: number | null): void {
    const steps = tools.store.state.run?.steps ?? [];
    if (index !== null && steps[positionOf(steps, index)]?.call) tools.host.post({ type: 'reveal', index });
  }
  on(scroller, 'keydown', (event) => {
    const current = shownStep(tools.store.state);
    if (current === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[rowOf(current)];
    const at = visible.indexOf(current);
    const isOpen = row?.kind === 'step' ? row.open : null;
    const parent = visible.slice(0, at).findLast((one) => depthOf(one) < depthOf(current));
    const to = list.positionAfter(event.key, at, visible.length, true);
    if (to === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    // As in trees of VS Code.
    if (event.key === (isOpen === true ? 'ArrowLeft' : 'ArrowRight') && isOpen !== null) toggle(current);
    else if (event.key === 'ArrowLeft' && parent !== undefined) select(parent);
    else if (to === undefined) reveal(current.index);
    else select(visible[to]);
  });

  return {
    element,
    update(state, before) {
      const steps = state.run?.steps ?? [];
      const stepsChanged = steps !== before.run?.steps;
      const current = shownStep(state);
      const previous = shownStep(before);
      follow.hidden = !(state.select !== null && state.run !== null && isRunning(state.run));
      scroller.hidden = steps.length === 0;
      if (!stepsChanged && current === previous) return;
      if (state.run?.runId !== runId) closedAgents.clear();
      runId = state.run?.runId ?? null;
      if (stepsChanged) {
        total = steps.length;
        const isTree = steps.some((step) => depthOf(step) > 0);
        set(scroller, { role: isTree ? 'tree' : 'listbox' });
        arrange(steps);
      }
      if (current !== null && !visible.includes(current)) {
        // Chosen elsewhere, such as in the timeline.
        for (const step of ancestorsOf(current, steps)) closedAgents.delete(step.index);
        arrange(steps);
      }
      const keptIndex = rowOf(current);
      const hadFocus = scroller.contains(document.activeElement);
      list.show(rows, keptIndex);
      if (stepsChanged)
        for (const row of scroller.querySelectorAll('[role=option]')) set(row, { 'aria-setsize': total });
      for (const step of new Set([previous, current])) {
        const row = step && list.elementOf(keyOf(step));
        if (step && row) mark(row, step);
      }
      if (keptIndex >= 0 && (current !== previous || isFollowing(state))) {
        list.reveal(keptIndex, rows[keptIndex - 1]?.kind === 'head' ? 1 : 0);
        const row = current && list.elementOf(keyOf(current));
        if (hadFocus && row) row.focus({ preventScroll: true });
      }
    },
  };
}

function keyOf(step: PanelStep): string {
  return `step ${step.index}`;
}

function depthOf({ depth = 0 }: PanelStep): number {
  return depth;
}

/** The sub-agents that a line is part of. */
function ancestorsOf(step: PanelStep, steps: readonly PanelStep[]): readonly PanelStep[] {
  const ancestors: PanelStep[] = [];
  let depth = depthOf(step);
  for (let at = positionOf(steps, step.index) - 1; at >= 0 && depth > 0; at -= 1) {
    const one = steps[at];
    if (one === undefined || depthOf(one) >= depth) continue;
    ancestors.push(one);
    depth = depthOf(one);
  }
  return ancestors;
}

function visibleSteps(steps: readonly PanelStep[], closedAgents: ReadonlySet<number>): readonly PanelStep[] {
  if (closedAgents.size === 0) return steps;
  let hiddenBelow = Number.POSITIVE_INFINITY;
  return steps.filter((step) => {
    if (depthOf(step) > hiddenBelow) return false;
    hiddenBelow = closedAgents.has(step.index) ? depthOf(step) : Number.POSITIVE_INFINITY;
    return true;
  });
}

/** The rows for the visible ones of the steps. Unchanged rows of `before` are reused, so that they are not rendered again. */
function rowsOf(
  steps: readonly PanelStep[],
  visible: readonly PanelStep[],
  closedAgents: ReadonlySet<number>,
  before: readonly Row[],
): readonly Row[] {
  const rowsByKey = new Map(before.map((row) => [row.key, row]));
  const rows: Row[] = [];
  let phase: string | null = null;
  const numbers = stepNumbers(steps);
  const isTree = steps.some((step) => depthOf(step) > 0);
  for (const step of visible) {
    const position = positionOf(steps, step.index);
    const number = numbers[position];
    if (number === undefined) continue;
    if (phaseOf(step) !== phase) {
      phase = phaseOf(step);
      const key = `${phase} before ${step.index}`;
      rows.push(rowsByKey.get(key) ?? { kind: 'head', key, phase });
    }
    const old = rowsByKey.get(keyOf(step));
    const next = steps[position + 1];
    const open = next !== undefined && depthOf(next) > depthOf(step) ? !closedAgents.has(step.index) : null;
    const isSame = old?.kind === 'step' && old.step === step && old.open === open && old.isTree === isTree;
    rows.push(isSame ? old : { kind: 'step', key: keyOf(step), step, position, number, isTree, open });
  }
  return rows;
}

function drawHead(phase: string): HTMLElement {
  // The accessible name of each option contains the phase, because this row may not be rendered.
  return el('div', { class: 'steps-head', 'aria-hidden': 'true' }, phase);
}

function drawStep({ step, position, number, isTree, open }: StepRow, total: number): HTMLElement {
  const outcome = stepOutcome(step);
  const value = step.value === null || (outcome === null && step.value === 0) ? null : formatReward(step.value);
  const row = el(
    'div',
    {
      class: `row${outcome ? ` is-${outcome}` : ''}${step.error === null ? '' : ' is-error'}`,
      role: isTree ? 'treeitem' : 'option',
      'aria-level': isTree ? depthOf(step) + 1 : null,
      'aria-expanded': open === null ? null : String(open),
      title: step.error === null ? stepWords(step) : withoutCodeMarks(step.error),
      'data-index': step.index,
      'data-vscode-context': JSON.stringify({
        webviewSection: step.source === 'agent' ? 'action' : 'step',
        index: step.index,
        preventDefaultContextMenuItems: true,
      }),
      'aria-posinset': isTree ? null : position + 1,
      'aria-setsize': isTree ? null : total,
    },
    el('span', { class: 'visually-hidden' }, `${stepName(number)}: `),
    el('span', { class: 'row-number', 'aria-hidden': 'true' }, number.kind === 'agent' ? String(number.number) : ''),
    isTree && el('span', { class: 'twistie', 'aria-hidden': 'true' }, open !== null && icon('next')),
    icon(iconOf(step)),
    el('span', { class: 'row-text' }, el('code', {}, step.verb), ' ', el('span', { class: 'dim' }, step.object)),
    step.error !== null && el('span', { class: 'visually-hidden' }, l10n.t('error: {0}', withoutCodeMarks(step.error))),
    value !== null && el('span', { class: 'visually-hidden' }, l10n.t('value')),
    value !== null && el('span', { class: 'row-value' }, value),
    el('span', { class: 'row-time' }, duration(step.durationMs)),
  );
  if (isTree) row.style.setProperty('--depth', String(depthOf(step)));
  return row;
}

function iconOf(step: PanelStep): IconName {
  const outcome = stepOutcome(step);
  if (outcome !== null) return outcomeIcon[outcome];
  if (step.error !== null) return 'error';
  if (step.source === 'setup') return 'gear';
  if (step.part === 'subagent') return 'branch';
  if (step.part === 'tool') return 'dot';
  if (step.part === 'prompt' || step.verb === 'message') return 'speech';
  if (step.turn !== undefined && step.turn.calls.length > 0) return 'terminal';
  return step.source === 'system' ? 'dot' : verbIcon(step.verb);
}

function indexOfRow(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest('[data-index]') : null;
  return row === null ? null : Number(row.getAttribute('data-index'));
}
