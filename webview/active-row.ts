import { on } from './dom.ts';
import type { WindowedList, WindowItem } from './windowed.ts';

/** A row of a table, at a position. */
export interface TableRow extends WindowItem {
  readonly at: number;
  readonly active: boolean;
}

/**
 * Makes the rows of a table one tab stop: arrow keys move the active row; Enter, Space, and a click open a row. An element of
 * a row has its position as `data-at`.
 */
export function activeRow<T extends TableRow>(
  list: WindowedList<T>,
  rows: () => readonly T[],
  { redraw, open }: { redraw(): void; open(row: T): void },
): { at: number } {
  const { scroller } = list;
  const active = { at: 0 };
  const openActive = (): void => {
    const row = rows()[active.at];
    if (row !== undefined) open(row);
  };
  on(scroller, 'click', (event) => {
    const row = event.target instanceof Element ? event.target.closest('[data-at]') : null;
    if (row === null) return;
    active.at = Number(row.getAttribute('data-at'));
    redraw();
    openActive();
  });
  on(scroller, 'keydown', (event) => {
    const to = list.positionAfter(event.key, active.at, rows().length);
    if (to !== undefined) {
      active.at = to;
      redraw();
      list.reveal(to);
      list.elementOf(rows()[to]?.key ?? '')?.focus({ preventScroll: true });
    } else if (event.key === 'Enter' || event.key === ' ') openActive();
    else return;
    event.preventDefault();
  });
  return active;
}
