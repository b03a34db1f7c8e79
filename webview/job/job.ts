import * as l10n from '@vscode/l10n';
import '../l10n.ts';
import type {
  JobHead,
  JobHostMessage,
  JobPageMessage,
  JobPageState,
  JobRow,
} from '../../src/presentation/jobs/messages.ts';
import { withoutCodeMarks } from '../../src/results/code-spans.ts';
import { el, on, set, setText } from '../dom.ts';
import { tabRow } from '../tabs.ts';
import { registerToolkit } from '../toolkit.ts';
import { oncePerFrame } from '../view.ts';
import { matches, wordsOf } from './filter.ts';
import { jobGrid } from './grid.ts';
import { jobHeader } from './header.ts';
import { type ListedRun, runList, runsOf, SORT_KEYS, type Sort } from './run-list.ts';

interface VsCodeApi {
  postMessage(message: JobPageMessage): void;
  getState(): unknown;
  setState(state: PageState): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

type ViewName = 'tasks' | 'runs';

/** What the page keeps while it is hidden. `view`: null until the user selects one. */
interface PageState extends JobPageState {
  readonly view: ViewName | null;
  readonly filter: string;
  readonly sort: Sort;
}

registerToolkit();
const api = acquireVsCodeApi();
const post = (message: JobPageMessage): void => api.postMessage(message);
const open = (runId: string): void => post({ type: 'open', runId });

const header = jobHeader(post);
const grid = jobGrid(open);
const list = runList(open, (sort) => change({ sort }));
const filter = el('input', {
  class: 'filter',
  type: 'search',
  placeholder: l10n.t('Filter by task, result, or reason'),
  'aria-label': l10n.t('Filter runs'),
  spellcheck: 'false',
});
const filterCount = el('span', { class: 'dim filter-count', 'aria-live': 'polite' });
const panel = el('div', { class: 'job-runs' }, grid.element, list.element);
const views = tabRow<ViewName>(
  'job',
  l10n.t('View'),
  { tasks: l10n.t('By Task'), runs: l10n.t('By Run') },
  panel,
  (view) => change({ view }),
);
const bar = el('div', { class: 'job-bar' }, views.element, filter, filterCount);
const failure = el('p', { class: 'empty-state-text', role: 'alert', hidden: true });
const liveRegion = el('div', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });
const main = el('main', { class: 'job', hidden: true }, header.element, bar, panel);
document.body.append(failure, main, liveRegion);

let state = restore(api.getState());
let head: JobHead | null = null;
const rows = new Map<string, JobRow>();
/** The rows and runs that match the filter, until something changes. */
let matching: { readonly rows: readonly JobRow[]; readonly runs: readonly ListedRun[] } | null = null;
filter.value = state.filter;
on(filter, 'input', () => change({ filter: filter.value }));

function change(changes: Partial<PageState>): void {
  state = { ...state, ...changes };
  if (changes.filter !== undefined) matching = null;
  api.setState(state);
  draw();
}

const draw = oncePerFrame(() => {
  if (head === null) return;
  main.hidden = false;
  failure.hidden = true;
  header.update(head);
  const all = [...rows.values()];
  if (matching === null) {
    const terms = wordsOf(state.filter);
    matching = {
      rows: all.filter((row) => row.cells.some((cell) => matches(terms, row, cell))),
      runs: runsOf(all).filter(({ cell, ...run }) => matches(terms, run, cell)),
    };
  }
  const isRepeated = all.some(({ first, cells }) => first > 1 || cells.length > 1);
  const view = state.view ?? (isRepeated ? 'tasks' : 'runs');
  views.show(view);
  grid.element.hidden = view !== 'tasks';
  list.element.hidden = view !== 'runs';
  if (view === 'tasks') grid.update(matching.rows);
  else list.update(matching.runs, state.sort);
  set(filter, { 'aria-invalid': matching.runs.length === 0 && head.total > 0 ? 'true' : null });
  const { length } = matching.runs;
  setText(filterCount, state.filter.trim() === '' ? '' : l10n.t('{0} of {1} runs', length, head.total));
});

window.addEventListener('message', (event: MessageEvent<JobHostMessage>) => {
  const message = event.data;
  if (message.type === 'failed') {
    main.hidden = true;
    failure.hidden = false;
    setText(failure, withoutCodeMarks(message.message));
    return;
  }
  if (message.type === 'job') {
    rows.clear();
    const { folder } = message.head;
    if (folder !== state.folder) {
      state = { ...restore(null), folder };
      filter.value = '';
    }
    api.setState(state);
  } else if (head !== null && head.status !== message.head.status) {
    const { ended, total, headline, figures } = message.head;
    const facts = [headline.text, ...figures.map(({ name, value }) => `${name} ${value}`)].join(', ');
    setText(liveRegion, l10n.t('Job {0}: {1} of {2} runs ended, {3}.', message.head.status, ended, total, facts));
  }
  head = message.head;
  if (message.type === 'job' || message.rows.length > 0) matching = null;
  for (const row of message.rows) rows.set(row.key, row);
  draw();
});
post({ type: 'ready' });

/** The state before the page was hidden, or the initial one. */
function restore(savedState: unknown): PageState {
  const { folder, view, filter: text, sort } = (savedState ?? {}) as Partial<Record<keyof PageState, unknown>>;
  const { by, descending } = (sort ?? {}) as Partial<Record<keyof Sort, unknown>>;
  return {
    folder: typeof folder === 'string' ? folder : '',
    view: view === 'tasks' || view === 'runs' ? view : null,
    filter: typeof text === 'string' ? text : '',
    sort: { by: SORT_KEYS.find((key) => key === by) ?? 'result', descending: descending === true },
  };
}
