import * as l10n from '@vscode/l10n';
import type {
  Change,
  ChangedValue,
  RescoredRunRow,
  RescorePageMessage,
} from '../../src/presentation/rescoring/messages.ts';
import { withoutCodeMarks } from '../../src/results/code-spans.ts';
import { activeRow, type TableRow } from '../active-row.ts';
import { withCodeSpans } from '../code-spans.ts';
import { el, set } from '../dom.ts';
import { WindowedList } from '../windowed.ts';

/** Pixels from one row to the next; rescore.css has the same value. */
const PITCH = 26;

/** Shapes and words, so that changes do not rely on color alone. */
const SIGNS: Readonly<Record<Change, string>> = {
  up: '▲',
  down: '▼',
  new: '+',
  calls: '≈',
  same: '=',
  error: '!',
  unknown: '?',
};
const WORDS: Readonly<Record<Change, string>> = {
  up: l10n.t('better'),
  down: l10n.t('worse'),
  same: l10n.t('unchanged'),
  new: l10n.t('new'),
  calls: l10n.t('same reward, other values'),
  error: l10n.t('error'),
  unknown: l10n.t('cannot be re-scored'),
};

/** A run, or one of its calls. */
interface Line extends TableRow {
  readonly run: RescoredRunRow;
  /** The index of the call in the task; null for the line of the run. */
  readonly call: number | null;
}

/** The runs, each with its changed calls. One tab stop: arrow keys move, Enter opens the run or shows the call. */
export function rescoreTable(post: (message: RescorePageMessage) => void): {
  readonly element: HTMLElement;
  update(runs: readonly RescoredRunRow[]): void;
} {
  const element = el('div', { class: 'rescore-table', role: 'treegrid', 'aria-label': l10n.t('Re-scored runs') });
  const list = new WindowedList<Line>(element, { pitch: PITCH, draw });
  let shownRows: readonly RescoredRunRow[] = [];
  let lines: readonly Line[] = [];

  function place(): void {
    const before = lines;
    let next = 0;
    const line = (key: string, run: RescoredRunRow, call: number | null): Line => {
      const index = next++;
      const old = before[index];
      const isActive = index === active.at;
      // An unchanged line is not rendered again.
      return old?.key === key && old.run === run && old.active === isActive
        ? old
        : { key, run, call, at: index, active: isActive };
    };
    lines = shownRows.flatMap((run) => [
      line(run.traceDir, run, null),
      ...run.calls.flatMap(({ change }, call) =>
        change === 'same' ? [] : [line(`${run.traceDir} ${call}`, run, call)],
      ),
    ]);
    list.show(lines, active.at);
  }

  function open({ run, call }: Line): void {
    post(call === null ? { type: 'open', traceDir: run.traceDir } : { type: 'reveal', traceDir: run.traceDir, call });
  }

  const active = activeRow(list, () => lines, { redraw: place, open });

  return {
    element,
    update(runs) {
      if (runs === shownRows) return;
      const keptKey = lines[active.at]?.key;
      shownRows = runs;
      place();
      // Keep the current line.
      active.at = Math.max(
        0,
        lines.findIndex(({ key }) => key === keptKey),
      );
      set(element, { 'aria-rowcount': lines.length });
      place();
    },
  };
}

function draw({ run, call, at, active }: Line): HTMLElement {
  const shownCall = call === null ? undefined : run.calls[call];
  const value: ChangedValue = shownCall ?? run;
  const name = shownCall?.text ?? run.task;
  const more =
    shownCall?.reason ?? [run.problem ?? run.turns, run.description].filter((part) => part !== '').join(' · ');
  return el(
    'div',
    {
      class: `rescore-row is-${value.change}${shownCall === undefined ? '' : ' is-call'}`,
      role: 'row',
      'aria-level': shownCall === undefined ? 1 : 2,
      'aria-rowindex': at + 1,
      'aria-label': `${name}: ${changeText(value)}, ${withoutCodeMarks(more)}`,
      'data-at': at,
      tabindex: active ? 0 : -1,
      title: `${name}\n${withoutCodeMarks(more)}`,
    },
    el('span', { class: 'rescore-sign', role: 'gridcell', 'aria-label': WORDS[value.change] }, SIGNS[value.change]),
    el('span', { class: 'rescore-value', role: 'gridcell' }, arrow(value)),
    el('span', { class: 'rescore-name', role: 'gridcell' }, name),
    el('span', { class: 'rescore-more', role: 'gridcell' }, ...withCodeSpans(more)),
  );
}

function arrow(value: ChangedValue): string {
  return value.change === 'same' || value.change === 'calls' ? value.new : `${value.old} → ${value.new}`;
}

function changeText({ old, new: now, change }: ChangedValue): string {
  if (change === 'unknown') return l10n.t('was {0}, cannot be re-scored', old);
  return change === 'same' ? l10n.t('unchanged {0}', now) : l10n.t('{0}, from {1} to {2}', WORDS[change], old, now);
}
