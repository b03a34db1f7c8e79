import * as l10n from '@vscode/l10n';
import type { CellOutcome, JobCell, JobRow } from '../../src/presentation/jobs/messages.ts';
import { el, on, set } from '../dom.ts';
import { icon, progressRing } from '../icons.ts';
import { WindowedList } from '../windowed.ts';
import { OUTCOME_ICONS } from './outcomes.ts';

/** Pixels from one row to the next; job.css has the same value. */
const PITCH = 30;

/** Outcomes whose words are wider than a cell: their icons stand alone, and the title of the cell has the word. */
const TOO_WIDE: ReadonlySet<CellOutcome> = new Set(['cancelled', 'interrupted']);

interface GridItem {
  readonly key: string;
  readonly row: JobRow;
  readonly at: number;
  readonly active: number;
}

/**
 * The tasks of a job and their repeats, failures first. One tab stop: arrow keys move between runs, Enter opens one.
 * Rows keep their order while the pointer or the focus is inside, so that they do not move under a click.
 */
export function jobGrid(open: (runId: string) => void): {
  readonly element: HTMLElement;
  update(rows: readonly JobRow[]): void;
} {
  const scroller = el('div', {
    class: 'grid',
    role: 'grid',
    'aria-label': l10n.t('Runs by task and repeat, failures first'),
  });
  const list = new WindowedList<GridItem>(scroller, { pitch: PITCH, draw });
  let order: readonly string[] = [];
  let items: readonly GridItem[] = [];
  let latest: readonly JobRow[] = [];
  let at = 0;
  let column = 0;
  let isHovered = false;

  on(scroller, 'pointerenter', () => {
    isHovered = true;
  });
  on(scroller, 'pointerleave', () => {
    isHovered = false;
    show();
  });
  on(scroller, 'focusout', (event) => {
    if (!(event.relatedTarget instanceof Node && scroller.contains(event.relatedTarget))) queueMicrotask(show);
  });
  on(scroller, 'click', (event) => {
    const cell = event.target instanceof Element ? event.target.closest('[data-run]') : null;
    if (cell === null) return;
    const row = Number(cell.closest('[data-at]')?.getAttribute('data-at'));
    move(row, Number(cell.getAttribute('data-column')));
    openAt();
  });
  on(scroller, 'keydown', (event) => {
    const cells = items[at]?.row.cells.length ?? 0;
    const moves: Partial<Record<string, readonly [number, number]>> = {
      ArrowUp: [at - 1, column],
      ArrowDown: [at + 1, column],
      ArrowLeft: [at, column - 1],
      ArrowRight: [at, column + 1],
      Home: event.ctrlKey ? [0, 0] : [at, 0],
      End: event.ctrlKey ? [items.length - 1, column] : [at, cells - 1],
      PageUp: [at - list.page, column],
      PageDown: [at + list.page, column],
    };
    const to = moves[event.key];
    if (to !== undefined) move(...to, true);
    else if (event.key === 'Enter' || event.key === ' ') openAt();
    else return;
    event.preventDefault();
  });

  function openAt(): void {
    const cell = items[at]?.row.cells[column];
    if (cell?.canOpen === true) open(cell.runId);
  }

  function move(row: number, cell: number, focus = false): void {
    at = Math.min(Math.max(row, 0), items.length - 1);
    column = Math.min(Math.max(cell, 0), (items[at]?.row.cells.length ?? 1) - 1);
    place();
    if (!focus) return;
    list.reveal(at);
    const item = items[at];
    const rowElement = item === undefined ? null : list.elementOf(item.key);
    rowElement?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  function place(): void {
    const before = items;
    items = order.flatMap((key, index) => {
      const row = byKey.get(key);
      if (row === undefined) return [];
      const active = index === at ? column : -1;
      const old = before[index];
      // An unchanged row is not rendered again.
      return old?.row === row && old.active === active ? [old] : [{ key, row, at: index, active }];
    });
    list.show(items, at);
  }

  let byKey = new Map<string, JobRow>();

  function show(): void {
    const keptKey = items[at]?.key;
    byKey = new Map(latest.map((row) => [row.key, row]));
    const keepsOrder = isHovered || scroller.contains(document.activeElement);
    if (!keepsOrder || order.length !== latest.length || order.some((key) => !byKey.has(key))) {
      order = [...latest].sort((a, b) => a.sortRank - b.sortRank || a.place - b.place).map((row) => row.key);
      at = Math.max(0, keptKey === undefined ? 0 : order.indexOf(keptKey));
    }
    set(scroller, {
      'aria-rowcount': order.length,
      'aria-colcount': 2 + latest.reduce((most, row) => Math.max(most, row.cells.length), 0),
    });
    place();
  }

  return {
    element: scroller,
    update(rows) {
      latest = rows;
      show();
    },
  };
}

function draw({ row, at, active }: GridItem): HTMLElement {
  const last = row.first + row.cells.length - 1;
  const name = row.first > 1 ? `${row.task} ${row.first}–${last}` : row.task;
  return el(
    'div',
    { class: 'grid-row', role: 'row', 'data-at': at, 'aria-rowindex': at + 1 },
    el('span', { class: 'grid-task', role: 'rowheader', title: row.title }, name),
    el('span', { class: 'grid-summary', role: 'gridcell' }, row.summary),
    el(
      'span',
      { class: 'grid-cells', role: 'presentation' },
      ...row.cells.map((cell, index) => drawCell(row, cell, index, index === active)),
    ),
  );
}

function drawCell(row: JobRow, cell: JobCell, index: number, active: boolean): HTMLElement {
  const sign = OUTCOME_ICONS[cell.outcome];
  const label = l10n.t('{0}, run {1}: {2}', row.task, row.first + index, cell.accessibleText);
  return el(
    'span',
    {
      class: `cell is-${cell.outcome}${cell.canOpen ? ' opens' : ''}`,
      role: 'gridcell',
      'aria-colindex': index + 3,
      tabindex: active ? 0 : -1,
      'data-run': cell.runId,
      'data-column': index,
      title: label,
      'aria-label': label,
      'aria-disabled': cell.canOpen ? null : 'true',
    },
    cell.outcome === 'running' ? progressRing() : sign !== null && icon(sign),
    TOO_WIDE.has(cell.outcome) ? '' : cell.text,
  );
}
