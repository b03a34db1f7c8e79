import * as l10n from '@vscode/l10n';
import { type ObservationShape, shapeOf } from '../src/environments/openenv/observation-shape.ts';
import { el } from './dom.ts';
import type { StepText } from './store.ts';

type Data = NonNullable<StepText['data']>;
/** What was at the same place in the step before; undefined for nothing, `FIRST` if there was no step before. */
type Before = Data | null | undefined | typeof FIRST;
const FIRST = Symbol('first');

/** Maximum number of elements of a list, and keys of an object, that are shown. */
const MAX_CHILDREN = 200;

/**
 * An observation as data, readable: texts as they are, the turns of a chat, boards as grids, and everything else as a tree.
 * What differs from the step before is marked.
 */
export function observedData(data: Data, before: Data | null): HTMLElement {
  const earlier: Before = before === null ? FIRST : before;
  const box = el('div', { class: 'observed', tabindex: 0, role: 'group', 'aria-label': l10n.t('Observation') });
  if (!isObject(data)) {
    box.append(drawValue(data, earlier));
    return box;
  }
  const list = el('dl', {});
  for (const [key, value] of Object.entries(data)) {
    if (isEmpty(value)) continue;
    const was = childOf(earlier, key);
    list.append(el('dt', {}, key, changeNote(value, was)), el('dd', {}, drawValue(value, was)));
  }
  for (const key of isObject(earlier) ? Object.keys(earlier) : []) {
    const removedValue = childOf(earlier, key);
    if (!(key in data) && !isEmpty(removedValue)) {
      list.append(el('dt', {}, key, note('is-removed', l10n.t('removed'))), el('dd', { class: 'dim' }, '–'));
    }
  }
  if (list.childElementCount === 0) box.append(el('p', { class: 'quiet' }, l10n.t('The observation is empty.')));
  else box.append(list);
  return box;
}

function drawValue(value: Data | null, before: Before): HTMLElement {
  if (typeof value === 'string') return el('div', { class: 'observed-text' }, mark(value, value, before));
  const shape = shapeOf(value);
  if (shape?.kind === 'chat') return chat(shape, before);
  if (shape?.kind === 'board' && isDrawable(shape)) return board(shape, before);
  return value !== null && typeof value === 'object'
    ? el('ul', { class: 'tree' }, ...branches(value, before))
    : el('div', {}, mark(String(value), value, before));
}

function chat({ turns }: Extract<ObservationShape, { kind: 'chat' }>, before: Before): HTMLElement {
  const earlier = shapeOf(before);
  const earlierTurns = earlier?.kind === 'chat' ? earlier.turns : [];
  const list = el('ol', { class: 'turns' });
  for (const [at, { speaker, text }] of turns.entries()) {
    const isNew = before !== FIRST && (earlierTurns[at]?.text !== text || earlierTurns[at]?.speaker !== speaker);
    list.append(
      el(
        'li',
        { class: isNew ? 'turn is-new' : 'turn' },
        el('span', { class: 'turn-speaker' }, speaker, isNew && note('is-added', l10n.t('new'))),
        el('span', { class: 'turn-text' }, text),
      ),
    );
  }
  return list;
}

function board({ rows, letters }: Extract<ObservationShape, { kind: 'board' }>, before: Before): HTMLElement {
  const earlier = shapeOf(before);
  const was = earlier?.kind === 'board' ? earlier.rows : null;
  const body = el('tbody', {});
  for (const [y, row] of rows.entries()) {
    const cells = row.map((text, x) => {
      const old = was?.[y]?.[x];
      const isDifferent = was !== null && old !== text;
      return el(
        'td',
        isDifferent ? { class: 'is-changed', title: l10n.t('was {0}', old ?? '–') } : {},
        text,
        isDifferent && el('span', { class: 'visually-hidden' }, ` ${l10n.t('changed')}`),
      );
    });
    body.append(el('tr', {}, ...cells));
  }
  return el('table', { class: letters ? 'board is-letters' : 'board' }, body);
}

/** Larger boards are shown as a tree: drawing them blocks the panel. */
function isDrawable({ rows }: Extract<ObservationShape, { kind: 'board' }>): boolean {
  return rows.length <= MAX_CHILDREN && rows.every((row) => row.length <= MAX_CHILDREN);
}

function branches(value: Data, before: Before): HTMLElement[] {
  const entries = Object.entries(value as Readonly<Record<string, Data | null>>);
  const items = entries.slice(0, MAX_CHILDREN).map(([key, inner]) => branch(key, inner, childOf(before, key)));
  const more = entries.length - items.length;
  return more === 0 ? items : [...items, el('li', { class: 'dim' }, l10n.t('and {0} more', more))];
}

function branch(key: string, value: Data | null, before: Before): HTMLElement {
  const name = el('span', { class: 'tree-key' }, `${key}: `);
  if (value === null || typeof value !== 'object' || isEmpty(value)) {
    const text = JSON.stringify(value);
    return el('li', {}, name, mark(text, value, before));
  }
  const count = Object.keys(value).length;
  const size = Array.isArray(value) ? `[${count}]` : `{${count}}`;
  // Open if something changed or the branch is small.
  const open = isChanged(value, before) || count <= 8;
  return el(
    'li',
    {},
    el(
      'details',
      { open },
      el('summary', {}, name, el('span', { class: 'dim' }, size), changeNote(value, before)),
      el('ul', {}, ...branches(value, before)),
    ),
  );
}

/** A value with a mark if it changed, and what it was. */
function mark(text: string, value: Data | null, before: Before): HTMLElement {
  if (!isChanged(value, before)) return el('span', {}, text);
  const was = before === undefined ? null : typeof before === 'string' ? before : JSON.stringify(before);
  return el(
    'span',
    { class: before === undefined ? 'is-added' : 'is-changed' },
    el('span', { class: 'visually-hidden' }, `${before === undefined ? l10n.t('added') : l10n.t('changed')}: `),
    el('span', { class: 'mark' }, text),
    was !== null && was.length <= 80 && el('span', { class: 'was' }, l10n.t('was {0}', was)),
  );
}

function changeNote(value: Data | null, before: Before): HTMLElement | null {
  if (!isChanged(value, before)) return null;
  return before === undefined ? note('is-added', l10n.t('added')) : note('is-changed', l10n.t('changed'));
}

function note(name: string, text: string): HTMLElement {
  return el('span', { class: `change-note ${name}` }, text);
}

function isChanged(value: unknown, before: Before): boolean {
  return before !== FIRST && JSON.stringify(value) !== JSON.stringify(before);
}

function childOf(before: Before, key: string): Before {
  if (before === FIRST) return FIRST;
  if (before === null || before === undefined || typeof before !== 'object' || !Object.hasOwn(before, key)) {
    return undefined;
  }
  return (before as Readonly<Record<string, Data>>)[key];
}

function isObject(value: unknown): value is Readonly<Record<string, Data | null>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}
