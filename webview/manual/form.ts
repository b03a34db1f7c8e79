import * as l10n from '@vscode/l10n';
import { el, on, setText } from '../dom.ts';
import { textButton } from '../toolkit.ts';
import type { Tools, View } from '../view.ts';
import { isRunning } from '../words.ts';
import { type ActionForm, loadForm } from './load-form.ts';

/** The form for the actions of an environment that publishes their schema. */
export function actionForm({ host, store }: Tools): View {
  const fields = el('div', { class: 'action-fields' });
  const problem = el('p', { class: 'action-problem', role: 'status' });
  const send = textButton(l10n.t('Send Action'), l10n.t('Perform this action in the environment'), submit, true);
  const element = el(
    'form',
    { class: 'action-form', 'aria-label': l10n.t('Action'), hidden: true },
    fields,
    el('div', { class: 'action-end' }, send, problem),
  );
  let form: ActionForm | null = null;
  /** What the form is for: a run. */
  let owner: string | null = null;

  function submit(): void {
    if (form === null || !mayAct()) return;
    const valid = form.check();
    const action = form.read();
    setText(problem, valid && action !== null ? '' : l10n.t('Correct the marked fields first.'));
    if (valid && action !== null) host.post({ type: 'perform', action });
  }
  function mayAct(): boolean {
    const { run } = store.state;
    return run !== null && isRunning(run) && run.status !== 'paused';
  }
  on(element, 'submit', (event) => {
    event.preventDefault();
    submit();
  });
  // The arrow keys select steps elsewhere in the page.
  on(element, 'keydown', (event) => event.stopPropagation());

  return {
    element,
    update({ run }) {
      const runWithForm = run !== null && isRunning(run) && run.actions !== null ? run : null;
      element.hidden = runWithForm === null;
      if (runWithForm === null || runWithForm.actions === null || runWithForm.runId === owner) return;
      const { actions, runId } = runWithForm;
      owner = runId;
      form?.remove();
      form = null;
      setText(problem, '');
      loadForm().then(
        () => {
          if (owner === runId) form = window.taskwrightForm?.(fields, actions) ?? null;
        },
        (error: Error) => setText(problem, error.message),
      );
    },
  };
}
