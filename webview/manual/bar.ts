import * as l10n from '@vscode/l10n';
import { el, fill, set, setText } from '../dom.ts';
import { icon } from '../icons.ts';
import type { State } from '../store.ts';
import { textButton } from '../toolkit.ts';
import type { Tools, View } from '../view.ts';
import { isRunning, isTextual } from '../words.ts';
import { LEAVE } from './keys.ts';

/** The bar of a manual run: its state, where keyboard input goes, and actions that need no screenshot. */
export function manualBar({ host }: Tools): View {
  const sign = el('span', { class: 'manual-sign' });
  const titleText = el('strong');
  const noteText = el('span');
  const hintText = el('span', { class: 'dim manual-hint' });
  const mode = el(
    'span',
    { class: 'manual-mode' },
    el('span', { class: 'manual-title' }, sign, titleText, noteText),
    hintText,
  );
  const liveRegion = el('span', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });
  const answer = textButton(l10n.t('Answer…'), l10n.t('Enter the answer of the agent, as response(…)'), () =>
    host.post({ type: 'answer' }),
  );
  const act = textButton(l10n.t('Action…'), l10n.t('Enter an action, such as goto(…), hover(…), or go_back()'), () =>
    host.post({ type: 'act' }),
  );
  const done = textButton(
    l10n.t('Finish'),
    l10n.t('End the run and grade it'),
    () => host.post({ type: 'done' }),
    true,
  );
  const save = textButton(
    l10n.t('Save as Solution'),
    l10n.t('Save your actions to the task’s .actions file and replay them'),
    () => host.post({ type: 'saveSolution' }),
    true,
  );
  const buttons = el('span', { class: 'manual-buttons' }, answer, act, done, save);
  const element = el(
    'div',
    { class: 'manual-bar', role: 'group', 'aria-label': l10n.t('Manual run'), hidden: true },
    mode,
    buttons,
  );
  element.append(liveRegion);
  return {
    element,
    update(state, before) {
      const { run } = state;
      const running = run !== null && isRunning(run);
      const hasActed = run?.steps.some((step) => step.source === 'agent') === true;
      element.hidden = run === null || !run.manual || !(running || hasActed);
      if (run === null || element.hidden) return;
      for (const button of [answer, act, done]) button.hidden = !running || run.status === 'paused';
      save.hidden = running;
      element.classList.toggle('is-capturing', running && state.capturing);
      const { title, note, hint } = modeWords(state);
      const capturing = running && state.capturing;
      if (sign.dataset['icon'] !== String(capturing)) {
        sign.dataset['icon'] = String(capturing);
        fill(sign, icon(capturing ? 'keyboard' : 'pointer'));
      }
      setText(titleText, title);
      setText(noteText, note);
      setText(hintText, hint);
      set(mode, { title: [title, note, hint].filter((part) => part !== '').join(' · ') });
      if (state.capturing !== before.capturing && running) {
        setText(
          liveRegion,
          state.capturing
            ? `${run.view.keyboardTarget}. ${l10n.t('{0} releases the keyboard', LEAVE)}.`
            : l10n.t('The keyboard is released.'),
        );
      }
    },
  };
}

interface ModeWords {
  readonly title: string;
  /** The current activity. */
  readonly note: string;
  readonly hint: string;
}

function modeWords({ run, capturing, typing, doing, live }: State): ModeWords {
  if (run === null || !isRunning(run)) {
    return { title: l10n.t('Manual run'), note: '', hint: l10n.t('Save it as a solution to replay it') };
  }
  if (run.status === 'paused') {
    return { title: l10n.t('Paused'), note: '', hint: l10n.t('Continue in the debugger to act') };
  }
  const shortText = typing.length > 40 ? `…${typing.slice(-39)}` : typing;
  const note = typing === '' ? (doing ?? '') : l10n.t('typing “{0}”', shortText);
  if (capturing) {
    return {
      title: run.view.keyboardTarget,
      note,
      hint: l10n.t('{0} releases it', LEAVE),
    };
  }
  if (isTextual(run)) return { title: l10n.t('Your turn'), note, hint: l10n.t('Answer the question') };
  if (run.actions !== null) {
    return { title: l10n.t('Your turn'), note, hint: l10n.t('Fill in the form and send the action') };
  }
  if (!live || run.steps.length === 0)
    return { title: l10n.t('Manual run'), note: '', hint: l10n.t('Starting the environment') };
  return { title: l10n.t('Your turn'), note, hint: l10n.t('Click the live view, or focus it and press Enter to type') };
}
