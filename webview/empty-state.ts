import { el, setText } from './dom.ts';
import { icon } from './icons.ts';
import type { View } from './view.ts';

/** What stands in the panel when there is no run in it: nothing yet, or why it cannot be shown. */
export function emptyState(): View {
  const title = el('p', { class: 'empty-state-title' });
  const text = el('p', { class: 'empty-state-text' });
  const sign = el('span', { class: 'empty-state-sign' }, icon('error'));
  const element = el('section', { class: 'empty-state', 'aria-label': 'No run' }, sign, title, text);
  return {
    element,
    update(state) {
      element.hidden = state.run !== null;
      element.classList.toggle('is-error', state.failure !== null);
      sign.hidden = state.failure === null;
      setText(title, state.failure === null ? 'No run to show' : 'This run cannot be shown');
      setText(text, state.failure ?? 'Press Run above a task, or open a run from the Runs view.');
    },
  };
}
