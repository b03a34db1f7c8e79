import * as l10n from '@vscode/l10n';
import '../l10n.ts';
import type {
  RescoredRunRow,
  RescoreHead,
  RescoreHostMessage,
  RescorePageMessage,
  RescorePageState,
} from '../../src/presentation/rescoring/messages.ts';
import { el, setText } from '../dom.ts';
import { registerToolkit } from '../toolkit.ts';
import { oncePerFrame } from '../view.ts';
import { rescoreHeader } from './header.ts';
import { rescoreTable } from './table.ts';

interface VsCodeApi {
  postMessage(message: RescorePageMessage): void;
  setState(state: RescorePageState): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

registerToolkit();
const api = acquireVsCodeApi();
const post = (message: RescorePageMessage): void => api.postMessage(message);

const header = rescoreHeader(post);
const table = rescoreTable(post);
const liveRegion = el('div', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });
const main = el('main', { class: 'rescore', hidden: true }, header.element, table.element);
document.body.append(main, liveRegion);

let head: RescoreHead | null = null;
let runs: readonly RescoredRunRow[] = [];

const draw = oncePerFrame(() => {
  if (head === null) return;
  main.hidden = false;
  header.update(head);
  table.update(runs);
});

window.addEventListener('message', ({ data: message }: MessageEvent<RescoreHostMessage>) => {
  if (message.head.status !== 'running' && message.head.status !== head?.status) {
    const { title, status, summary } = message.head;
    setText(liveRegion, l10n.t('Re-score of {0} {1}: {2}.', title, status, summary));
  }
  head = message.head;
  runs = message.type === 'results' ? message.runs : [...runs, ...message.runs];
  // A reload of the window shows the results as they were when re-scoring started or ended.
  if (message.type === 'results') api.setState({ head, traceDirs: message.traceDirs, runs });
  draw();
});
post({ type: 'ready' });
