import { el, fill, set, setText } from '../dom.ts';
import { icon } from '../icons.ts';
import type { State } from '../store.ts';
import { textButton } from '../toolkit.ts';
import type { Tools, View } from '../view.ts';
import { isRunning } from '../words.ts';
import { LEAVE } from './keys.ts';

/** Below the tabs of the picture: whose turn it is, where the keys go, and what can be done beside mouse and keys. */
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
  const spoken = el('span', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
  const answer = textButton('Answer…', 'Give the answer of the agent, as response(…) does', () =>
    host.post({ type: 'answer' }),
  );
  const act = textButton('Action…', 'Write any action, such as goto(…), hover(…) or go_back()', () =>
    host.post({ type: 'act' }),
  );
  const done = textButton('Done', 'End the run: it is graded', () => host.post({ type: 'done' }), true);
  const save = textButton(
    'Save as Solution',
    'Write what you did to the task’s .actions file and replay it',
    () => host.post({ type: 'saveSolution' }),
    true,
  );
  const buttons = el('span', { class: 'manual-buttons' }, answer, act, done, save);
  const element = el(
    'div',
    { class: 'manual-bar', role: 'group', 'aria-label': 'By hand', hidden: true },
    mode,
    buttons,
  );
  element.append(spoken);
  return {
    element,
    update(state, before) {
      const { run } = state;
      const running = run !== null && isRunning(run);
      const acted = run?.steps.some((step) => step.source === 'agent') === true;
      element.hidden = run === null || !run.manual || !(running || acted);
      if (run === null || element.hidden) return;
      for (const button of [answer, act, done]) button.hidden = !running;
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
          spoken,
          state.capturing
            ? `Keys go to the ${run.view.surface}. ${LEAVE} gives them back.`
            : 'Keys go to the panel again.',
        );
      }
    },
  };
}

interface ModeWords {
  readonly title: string;
  /** What is going on. */
  readonly note: string;
  readonly hint: string;
}

function modeWords({ run, capturing, typing, doing, live }: State): ModeWords {
  if (run === null || !isRunning(run)) {
    return { title: 'Done by hand', note: '', hint: 'As a solution it can be replayed' };
  }
  const note = typing === '' ? (doing ?? '') : `typing “${typing.length > 40 ? `…${typing.slice(-39)}` : typing}”`;
  if (capturing) return { title: `Keys go to the ${run.view.surface}`, note, hint: `${LEAVE} gives them back` };
  if (run.view.shows === 'text') return { title: 'Your turn', note, hint: 'Answer the question' };
  if (!live || run.steps.length === 0)
    return { title: 'By hand', note: '', hint: `Wait until the ${run.view.surface} is there` };
  return { title: 'Your turn', note, hint: `Click in the ${run.view.surface}, or press Enter on it to type` };
}
