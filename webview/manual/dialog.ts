import * as l10n from '@vscode/l10n';
import type { PanelStep } from '../../src/presentation/runs/messages.ts';
import { el, on, setText } from '../dom.ts';
import type { State } from '../store.ts';
import { textButton } from '../toolkit.ts';
import type { Tools, View } from '../view.ts';
import { isManual } from './layer.ts';

/** The open dialog of the page in a manual run, which screenshots do not show: its message, the field of a prompt, OK, and Cancel. */
export function pageDialog({ host }: Tools): View {
  const message = el('p', { class: 'page-dialog-message', id: 'page-dialog-message' });
  const field = el('input', { type: 'text', class: 'page-dialog-field', 'aria-labelledby': 'page-dialog-message' });
  const ok = textButton(l10n.t('OK'), l10n.t('Accept the dialog of the page'), () => answer(true), true);
  const cancel = textButton(l10n.t('Cancel'), l10n.t('Dismiss the dialog of the page'), () => answer(false));
  const element = el(
    'form',
    {
      class: 'page-dialog',
      role: 'alertdialog',
      'aria-label': l10n.t('Dialog of the page'),
      'aria-describedby': 'page-dialog-message',
      hidden: true,
    },
    message,
    field,
    el('div', { class: 'page-dialog-buttons' }, ok, cancel),
  );
  let current: PanelStep | null = null;

  function answer(accept: boolean): void {
    if (current === null) return;
    host.post({ type: 'answerDialog', accept, text: accept && !field.hidden ? field.value : null });
  }
  on(element, 'submit', (event) => {
    event.preventDefault();
    answer(true);
  });
  on(element, 'keydown', (event) => {
    // The arrow keys select steps elsewhere in the page.
    event.stopPropagation();
    if (event.key === 'Escape') answer(false);
    else if (event.key === 'Enter' && event.target === field) {
      event.preventDefault();
      answer(true);
    }
  });

  return {
    element,
    update(state) {
      const step = stepWithDialog(state);
      element.hidden = step === null;
      if (step === current) return;
      current = step;
      if (step?.dialog === undefined) return;
      const { type, message: text, default_value: value = '' } = step.dialog;
      setText(message, text);
      field.hidden = type !== 'prompt';
      field.value = value;
      (field.hidden ? ok : field).focus();
    },
  };
}

/** The newest step of a manual run, if a dialog is open after it and no answer is on its way. */
function stepWithDialog(state: State): PanelStep | null {
  const step = state.run?.steps.at(-1) ?? null;
  return isManual(state) && state.doing === null && step?.dialog !== undefined ? step : null;
}
