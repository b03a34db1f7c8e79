import * as l10n from '@vscode/l10n';
import { withoutCodeMarks } from '../src/results/code-spans.ts';
import { el, setText } from './dom.ts';
import { icon } from './icons.ts';
import type { View } from './view.ts';

/** Replaces the run if there is none, or if it cannot be shown. */
export function emptyState(): View {
  const title = el('p', { class: 'empty-state-title' });
  const text = el('p', { class: 'empty-state-text' });
  const sign = el('span', { class: 'empty-state-sign' }, icon('error'));
  const element = el('section', { class: 'empty-state', 'aria-label': l10n.t('No run') }, sign, title, text);
  return {
    element,
    update(state) {
      element.hidden = state.run !== null;
      element.classList.toggle('is-error', state.failure !== null);
      sign.hidden = state.failure === null;
      setText(title, state.failure === null ? l10n.t('No run to show') : l10n.t('This run cannot be shown'));
      setText(
        text,
        withoutCodeMarks(state.failure ?? '') || l10n.t('Select Run above a task, or open a run in the Runs view.'),
      );
    },
  };
}
