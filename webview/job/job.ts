import * as l10n from '@vscode/l10n';
import '../l10n.ts';
import type { JobHead, JobHostMessage, JobPageMessage, JobRow } from '../../src/editor/jobs/messages.ts';
import { el, setText } from '../dom.ts';
import { registerToolkit } from '../toolkit.ts';
import { oncePerFrame } from '../view.ts';
import { jobGrid } from './grid.ts';
import { jobHeader } from './header.ts';

interface VsCodeApi {
  postMessage(message: JobPageMessage): void;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

registerToolkit();
const api = acquireVsCodeApi();
const post = (message: JobPageMessage): void => api.postMessage(message);

const header = jobHeader(post);
const grid = jobGrid((runId) => post({ type: 'open', runId }));
const failure = el('p', { class: 'empty-state-text', role: 'alert', hidden: true });
const speech = el('div', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
const main = el('main', { class: 'job', hidden: true }, header.element, grid.element);
document.body.append(failure, main, speech);

let head: JobHead | null = null;
const rows = new Map<string, JobRow>();

const draw = oncePerFrame(() => {
  if (head === null) return;
  main.hidden = false;
  failure.hidden = true;
  header.update(head);
  grid.update([...rows.values()]);
});

window.addEventListener('message', (event: MessageEvent<JobHostMessage>) => {
  const message = event.data;
  if (message.type === 'failed') {
    main.hidden = true;
    failure.hidden = false;
    setText(failure, message.message);
    return;
  }
  if (message.type === 'job') {
    rows.clear();
    api.setState({ folder: message.head.folder });
  } else if (head !== null && head.status !== message.head.status) {
    const { ended, total, headline, figures } = message.head;
    const facts = [headline.text, ...figures.map(({ name, value }) => `${name} ${value}`)].join(', ');
    setText(speech, l10n.t('Job {0}: {1} of {2} runs ended, {3}.', message.head.status, ended, total, facts));
  }
  head = message.head;
  for (const row of message.rows) rows.set(row.key, row);
  draw();
});
post({ type: 'ready' });
