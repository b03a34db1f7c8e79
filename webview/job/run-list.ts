import * as l10n from '@vscode/l10n';
import type { CellOutcome, JobCell, JobRow } from '../../src/presentation/jobs/messages.ts';
import { withoutCodeMarks } from '../../src/results/code-spans.ts';
import { activeRow, type TableRow } from '../active-row.ts';
import { withCodeSpans } from '../code-spans.ts';
import { el, on, set } from '../dom.ts';
import { icon, progressRing } from '../icons.ts';
import { WindowedList } from '../windowed.ts';
import { duration } from '../words.ts';
import { OUTCOME_ICONS } from './outcomes.ts';

/** Pixels from one row to the next; job.css has the same value. */
const PITCH = 24;

export const SORT_KEYS = ['task', 'result', 'relative', 'steps', 'time', 'reasons'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** The order of the list. */
export interface Sort {
  readonly by: SortKey;
  readonly descending: boolean;
}

const HEADINGS: Readonly<Record<SortKey, string>> = {
  task: l10n.t('Task'),
  result: l10n.t('Result'),
  relative: l10n.t('Relative'),
  steps: l10n.t('Steps'),
  time: l10n.t('Time'),
  reasons: l10n.t('Reasons'),
};

const TOOLTIPS: Partial<Record<SortKey, string>> = {
  relative: l10n.t('The reward relative to the other runs of the task, as group_relative of HUD'),
};

/** Results from the worst to the best. */
const RANKS: readonly CellOutcome[] = [
  'error',
  'fail',
  'partial',
  'none',
  'interrupted',
  'cancelled',
  'running',
  'waiting',
  'pass',
];

/** One run of the job. */
export interface ListedRun {
  readonly task: string;
  /** One-based number among the repeats of the task; null if no task is repeated. */
  readonly number: number | null;
  readonly title: string;
  readonly cell: JobCell;
}

interface Line extends TableRow {
  readonly run: ListedRun;
}

/** The runs of the rows of a grid, in the order of the plan. */
export function runsOf(rows: readonly JobRow[]): readonly ListedRun[] {
  const isRepeated = rows.some(({ first, cells }) => first > 1 || cells.length > 1);
  return rows.flatMap(({ task, title, first, cells }) =>
    cells.map((cell, index) => ({ task, title, number: isRepeated ? first + index : null, cell })),
  );
}

/** `task-2` before `task-10`. `localeCompare` would take seconds for thousands of runs. */
const COLLATOR = new Intl.Collator(undefined, { numeric: true });

/** The order of two runs; equal ones keep the order of the plan. */
export function compareRuns(a: ListedRun, b: ListedRun, { by, descending }: Sort): number {
  const text = COLLATOR.compare;
  const order = {
    task: () => text(a.task, b.task) || (a.number ?? 0) - (b.number ?? 0),
    result: () => RANKS.indexOf(a.cell.outcome) - RANKS.indexOf(b.cell.outcome) || text(a.cell.text, b.cell.text),
    relative: () => relativeOf(a) - relativeOf(b),
    steps: () => (a.cell.steps ?? -1) - (b.cell.steps ?? -1),
    time: () => (a.cell.durationMs ?? -1) - (b.cell.durationMs ?? -1),
    reasons: () => text(a.cell.reasons, b.cell.reasons),
  }[by]();
  return descending ? -order : order;
}

/** For sorting: runs without a relative reward come first. */
function relativeOf({ cell }: ListedRun): number {
  return cell.relative === null ? Number.NEGATIVE_INFINITY : Number(cell.relative.replace('−', '-'));
}

/**
 * A table of the runs of a job, sorted by one of its columns. One tab stop for the rows: arrow keys move, Enter opens a run.
 * Rows keep their order while the pointer or the focus is inside, so that they do not move under a click.
 */
export function runList(
  open: (runId: string) => void,
  sortBy: (sort: Sort) => void,
): { readonly element: HTMLElement; update(runs: readonly ListedRun[], sort: Sort): void } {
  const headings = SORT_KEYS.map((key) => {
    const button = el('button', { type: 'button', class: 'list-sort' }, HEADINGS[key]);
    on(button, 'click', () => sortBy({ by: key, descending: sort?.by === key && !sort.descending }));
    return el('span', { class: `list-${key}`, role: 'columnheader', title: TOOLTIPS[key] ?? null }, button);
  });
  const head = el(
    'div',
    { class: 'list-head', role: 'rowgroup' },
    el('div', { class: 'list-row', role: 'row' }, ...headings),
  );
  const scroller = el('div', { class: 'list-rows', role: 'rowgroup' });
  const element = el('div', { class: 'list', role: 'grid', 'aria-label': l10n.t('Runs') }, head, scroller);
  const list = new WindowedList<Line>(scroller, { pitch: PITCH, draw });
  let latest: readonly ListedRun[] = [];
  let sort: Sort | undefined;
  let order: readonly string[] = [];
  let lines: readonly Line[] = [];
  let isHovered = false;

  on(scroller, 'pointerenter', () => {
    isHovered = true;
  });
  on(scroller, 'pointerleave', () => {
    isHovered = false;
    show(false);
  });
  on(scroller, 'focusout', (event) => {
    const focusStays = event.relatedTarget instanceof Node && scroller.contains(event.relatedTarget);
    if (!focusStays) queueMicrotask(() => show(false));
  });
  const active = activeRow(list, () => lines, {
    redraw: place,
    open({ run: { cell } }) {
      if (cell.canOpen) open(cell.runId);
    },
  });

  function place(): void {
    const byKey = new Map(latest.map((run) => [run.cell.runId, run]));
    const before = lines;
    lines = order.flatMap((key, index) => {
      const run = byKey.get(key);
      if (run === undefined) return [];
      const line = before[index];
      const isActive = index === active.at;
      // An unchanged row is not rendered again.
      return line?.run === run && line.active === isActive ? [line] : [{ key, run, at: index, active: isActive }];
    });
    list.show(lines, active.at);
  }

  function show(isSorted: boolean): void {
    const keptKey = lines[active.at]?.key;
    const keys = new Set(latest.map(({ cell }) => cell.runId));
    const keepsOrder = !isSorted && (isHovered || scroller.contains(document.activeElement));
    if (!keepsOrder || order.length !== keys.size || order.some((key) => !keys.has(key))) {
      const currentSort = sort;
      const sortedRuns = currentSort === undefined ? latest : latest.toSorted((a, b) => compareRuns(a, b, currentSort));
      order = sortedRuns.map(({ cell }) => cell.runId);
      active.at = Math.max(0, keptKey === undefined ? 0 : order.indexOf(keptKey));
    }
    set(element, { 'aria-rowcount': order.length + 1 });
    place();
  }

  return {
    element,
    update(runs, next) {
      const isSorted = next.by !== sort?.by || next.descending !== sort.descending;
      if (runs === latest && !isSorted) return;
      latest = runs;
      sort = next;
      element.classList.toggle(
        'has-relative',
        runs.some(({ cell }) => cell.relative !== null),
      );
      for (const [index, key] of SORT_KEYS.entries()) {
        const direction = key !== next.by ? null : next.descending ? 'descending' : 'ascending';
        const heading = headings[index];
        if (heading !== undefined) set(heading, { 'aria-sort': direction });
      }
      show(isSorted);
    },
  };
}

function draw({ run: { task, number, title, cell }, at, active }: Line): HTMLElement {
  const sign = OUTCOME_ICONS[cell.outcome];
  const name = number === null ? task : l10n.t('{0}, run {1}', task, number);
  return el(
    'div',
    {
      class: `list-row is-${cell.outcome}${cell.canOpen ? ' opens' : ''}`,
      role: 'row',
      'aria-rowindex': at + 2,
      'aria-label': `${name}: ${cell.accessibleText}`,
      tabindex: active ? 0 : -1,
      'data-at': at,
      title: cell.reasons === '' ? title : withoutCodeMarks(cell.reasons),
    },
    el(
      'span',
      { class: 'list-task', role: 'gridcell' },
      task,
      number !== null && el('span', { class: 'dim' }, ` #${number}`),
    ),
    el(
      'span',
      { class: 'list-result', role: 'gridcell' },
      cell.outcome === 'running' ? progressRing() : sign !== null && icon(sign),
      cell.text === '' ? el('span', { class: 'dim' }, cell.accessibleText) : cell.text,
    ),
    el('span', { class: 'list-relative', role: 'gridcell' }, cell.relative ?? ''),
    el('span', { class: 'list-steps', role: 'gridcell' }, cell.steps === null ? '' : String(cell.steps)),
    el('span', { class: 'list-time', role: 'gridcell' }, cell.durationMs === null ? '' : duration(cell.durationMs)),
    el('span', { class: 'list-reasons', role: 'gridcell' }, ...withCodeSpans(cell.reasons)),
  );
}
