import * as l10n from '@vscode/l10n';
import type { RescoreHead, RescorePageMessage } from '../../src/presentation/rescoring/messages.ts';
import { el, fill, set, setText } from '../dom.ts';
import { icon, progressRing } from '../icons.ts';
import { iconButton, textButton } from '../toolkit.ts';

/** Title, progress, summary, and actions of a re-score. */
export function rescoreHeader(post: (message: RescorePageMessage) => void): {
  readonly element: HTMLElement;
  update(head: RescoreHead): void;
} {
  const title = el('h1', { class: 'task' });
  const badge = el('span', { class: 'verdict-badge is-none' });
  const stop = iconButton('stop', l10n.t('Stop'), () => post({ type: 'stop' }));
  const again = iconButton('rerun', l10n.t('Re-score Again'), () => {
    post({ type: 'again', everyStep: current?.everyStep ?? false });
  });
  const steps = textButton(
    l10n.t('Every Step'),
    l10n.t('Re-score after each step to find where the reward changes'),
    () => {
      post({ type: 'again', everyStep: current?.everyStep !== true });
    },
  );
  const done = el('div', { class: 'progress-done' });
  const bar = el('div', { class: 'progress', role: 'progressbar', 'aria-label': l10n.t('Runs re-scored') }, done);
  const summary = el('p', { class: 'rescore-summary' });
  const element = el(
    'header',
    { class: 'header' },
    el('div', { class: 'headline' }, title, badge),
    el('span', { class: 'toolbar', role: 'toolbar', 'aria-label': l10n.t('Re-score') }, steps, stop, again),
    bar,
    summary,
  );
  let current: RescoreHead | null = null;

  return {
    element,
    update(head) {
      current = head;
      const isActive = head.status === 'running';
      setText(title, head.title);
      fill(badge, isActive ? progressRing() : icon(head.status === 'ended' ? 'pass' : 'stopped'), wordsOf(head));
      stop.hidden = !isActive;
      again.hidden = isActive;
      steps.hidden = isActive;
      set(steps, { 'aria-pressed': String(head.everyStep), appearance: head.everyStep ? 'primary' : 'secondary' });
      set(bar, { 'aria-valuemin': 0, 'aria-valuemax': head.total, 'aria-valuenow': head.done });
      done.style.width = `${head.total === 0 ? 0 : (100 * head.done) / head.total}%`;
      bar.classList.toggle('is-over', !isActive);
      setText(summary, head.done === 0 ? '' : head.summary);
    },
  };
}

function wordsOf({ done, total, status }: RescoreHead): string {
  if (status === 'ended') return l10n.t('{0} re-scored', total);
  const statusText = { running: l10n.t('re-scoring'), stopped: l10n.t('stopped'), failed: l10n.t('failed') };
  return `${done}/${total} ${statusText[status]}`;
}
