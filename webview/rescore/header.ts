import type { RescoreHead, RescorePageMessage } from '../../src/editor/rescore/messages.ts';
import { el, fill, set, setText } from '../dom.ts';
import { icon, progressRing } from '../icons.ts';
import { iconButton, textButton } from '../toolkit.ts';

/** What is judged again, how far it is, what has changed, and what can be done with it. */
export function rescoreHeader(post: (message: RescorePageMessage) => void): {
  readonly element: HTMLElement;
  update(head: RescoreHead): void;
} {
  const title = el('h1', { class: 'task' });
  const badge = el('span', { class: 'verdict-badge is-none' });
  const stop = iconButton('stop', 'Stop', () => post({ type: 'stop' }));
  const again = iconButton('rerun', 'Judge the same runs again', () => {
    post({ type: 'again', everyStep: shown?.everyStep ?? false });
  });
  const steps = textButton('Every step', 'Also say at which step the reward turned', () => {
    post({ type: 'again', everyStep: shown?.everyStep !== true });
  });
  const done = el('div', { class: 'progress-done' });
  const bar = el('div', { class: 'progress', role: 'progressbar', 'aria-label': 'Runs judged' }, done);
  const summary = el('p', { class: 'rescore-summary' });
  const element = el(
    'header',
    { class: 'header' },
    el('div', { class: 'headline' }, title, badge),
    el('span', { class: 'toolbar', role: 'toolbar', 'aria-label': 'Re-score' }, steps, stop, again),
    bar,
    summary,
  );
  let shown: RescoreHead | null = null;

  return {
    element,
    update(head) {
      shown = head;
      const busy = head.status === 'running';
      setText(title, head.title);
      fill(badge, busy ? progressRing() : icon(head.status === 'ended' ? 'pass' : 'stopped'), wordsOf(head));
      stop.hidden = !busy;
      again.hidden = busy;
      steps.hidden = busy;
      set(steps, { 'aria-pressed': String(head.everyStep), appearance: head.everyStep ? 'primary' : 'secondary' });
      set(bar, { 'aria-valuemin': 0, 'aria-valuemax': head.total, 'aria-valuenow': head.done });
      done.style.width = `${head.total === 0 ? 0 : (100 * head.done) / head.total}%`;
      bar.classList.toggle('is-over', !busy);
      setText(summary, head.done === 0 ? '' : head.summary);
    },
  };
}

function wordsOf({ done, total, status }: RescoreHead): string {
  return status === 'ended' ? `${total} judged` : `${done}/${total} ${status === 'running' ? 'judging' : status}`;
}
