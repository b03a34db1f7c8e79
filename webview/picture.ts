import * as l10n from '@vscode/l10n';
import type { PanelStep, TooLarge } from '../src/presentation/runs/messages.ts';
import { el, on, set, setText } from './dom.ts';
import { type Frame, LiveView } from './live.ts';
import { manualBar } from './manual/bar.ts';
import { pageDialog } from './manual/dialog.ts';
import { actionForm } from './manual/form.ts';
import { manualLayer } from './manual/layer.ts';
import { Overlay } from './overlay.ts';
import { stepName, stepNumbers, stepPosition } from './step-numbers.ts';
import { type PictureMode, positionOf, type State, shownStep } from './store.ts';
import { tabRow } from './tabs.ts';
import { iconButton } from './toolkit.ts';
import type { Tools, View } from './view.ts';
import { isRunning, isTextual, stepWords } from './words.ts';

const TOO_LARGE: TooLarge = 'data:,too-large';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The screenshot area: live view, before the step, after it, or both. */
export function picture(tools: Tools): View & { receive(frame: Frame): void } {
  const { store, host } = tools;
  const before = shot('before');
  const after = shot('after');
  let mode: PictureMode = 'after';
  const live = new LiveView((size) => {
    host.post({ type: 'drawn' });
    if (size === null) return;
    ratio(liveFigure, size);
    if (mode !== 'live') return;
    liveFigure.hidden = false;
    waiting.hidden = true;
    shape();
  });
  const layer = manualLayer(tools);
  const manualControls = manualBar(tools);
  const form = actionForm(tools);
  const dialog = pageDialog(tools);
  const liveFigure = el('figure', { class: 'shot' }, live.canvas, layer.element);
  // An environment without pictures shows only its question.
  const question = el('p', { class: 'stage-question' });
  const words = el('p');
  const waiting = el('div', { class: 'stage-empty' }, question, words);
  const stage = el('div', { class: 'stage', tabindex: -1 }, liveFigure, before.figure, after.figure, waiting);
  const tabs = tabRow<PictureMode>(
    'picture',
    l10n.t('Screenshot'),
    { live: l10n.t('Live'), before: l10n.t('Before'), after: l10n.t('After'), both: l10n.t('Both') },
    stage,
    (mode) => store.dispatch({ type: 'picture', picture: mode }),
  );
  const place = el('span', { class: 'dim place' });
  const previous = iconButton('previous', l10n.t('Previous Step'), () => walk(-1));
  const next = iconButton('next', l10n.t('Next Step'), () => walk(1));
  const bar = el('div', { class: 'bar' }, tabs.element, el('span', { class: 'bar-end' }, place, previous, next));
  const element = el(
    'section',
    { class: 'picture', 'aria-label': l10n.t('Screenshot') },
    bar,
    manualControls.element,
    form.element,
    dialog.element,
    stage,
  );

  /** Sets the aspect ratio, so that the area is no larger than the screenshot. */
  function shape(): void {
    const figures = [liveFigure, before.figure, after.figure].filter((figure) => !figure.hidden);
    const one = Number(figures[0]?.style.getPropertyValue('--ratio') || 1.6);
    element.style.setProperty('--stage-ratio', String(figures.length > 1 ? one * 2 : one));
  }

  function walk(by: number): void {
    const steps = store.state.run?.steps ?? [];
    const current = shownStep(store.state);
    const to = current === null ? undefined : steps[positionOf(steps, current.index) + by];
    if (to !== undefined) store.dispatch({ type: 'choose', index: to.index });
  }

  return {
    element,
    receive(frame) {
      layer.resize(frame);
      live.receive(frame);
    },
    update(state, old) {
      const run = state.run;
      const steps = run?.steps ?? [];
      manualControls.update(state, old);
      const goesOn = run !== null && (state.live || isRunning(run));
      const hasPictures = steps.some((step) => step.screenshot !== null);
      // After its end, a manual run can be saved as a solution.
      const isEmpty = !goesOn && !hasPictures && manualControls.element.hidden;
      element.hidden = run === null || run.view.shows === 'files' || isEmpty;
      if (run === null) return;
      form.update(state, old);
      // An environment without pictures shows its observations in the details.
      const pictureless = steps.length > 0 && !hasPictures && (run.actions !== null || !goesOn);
      element.classList.toggle('is-pictureless', pictureless);
      bar.hidden = pictureless;
      stage.hidden = pictureless;
      layer.update(state, old);
      dialog.update(state, old);
      element.classList.toggle('is-manual', !manualControls.element.hidden);
      if (run.runId !== old.run?.runId) live.clear();
      mode = state.picture;
      tabs.show(mode, state.live ? [] : ['live']);
      const step = shownStep(state);
      const at = step === null ? -1 : positionOf(steps, step.index);
      const number = stepNumbers(steps)[at];
      setText(place, number === undefined ? '' : stepPosition(number));
      for (const [button, off] of [
        [previous, at <= 0],
        [next, at < 0 || at >= steps.length - 1],
      ] as const) {
        set(button, { disabled: off });
      }
      liveFigure.hidden = mode !== 'live' || live.canvas.dataset['frames'] === undefined;
      const pictures = step === null ? null : { before: pictureAt(steps, at - 1), after: pictureAt(steps, at) };
      const name = number === undefined ? '' : stepName(number);
      before.show(
        mode === 'before' || mode === 'both' ? (pictures?.before ?? null) : null,
        step,
        name,
        mode !== 'after',
      );
      after.show(mode === 'after' || mode === 'both' ? (pictures?.after ?? null) : null, step, name, mode === 'after');
      setText(question, run.prompt);
      question.hidden = !isTextual(run) || mode !== 'live';
      setText(words, emptyWords(state, step));
      waiting.hidden = !(liveFigure.hidden && before.figure.hidden && after.figure.hidden);
      stage.classList.toggle('is-both', mode === 'both');
      shape();
      preload([pictureAt(steps, at - 2), pictureAt(steps, at + 1)]);
    },
  };
}

interface Shot {
  readonly figure: HTMLElement;
  show(address: string | null, step: PanelStep | null, name: string, hasMarks: boolean): void;
}

/** A recorded screenshot with an overlay of the action. */
function shot(when: 'before' | 'after'): Shot {
  const image = el('img', { class: 'shot-picture', decoding: 'async', draggable: 'false' });
  const overlay = new Overlay();
  const missing = el('figcaption', { class: 'shot-missing', hidden: true });
  const figure = el('figure', { class: 'shot', hidden: true }, image, overlay.element, missing);
  let step: PanelStep | null = null;
  let hasMarks = false;
  function mark(): void {
    const size = step?.viewport ?? { width: image.naturalWidth || 1280, height: image.naturalHeight || 800 };
    ratio(figure, size);
    overlay.show(hasMarks && step !== null ? step.acted : [], size);
  }
  on(image, 'load', () => {
    missing.hidden = true;
    mark();
  });
  on(image, 'error', () => {
    const tooLarge = image.getAttribute('src') === TOO_LARGE;
    setText(
      missing,
      tooLarge
        ? l10n.t('This screenshot is too large to show.')
        : l10n.t('This screenshot is missing from the recording.'),
    );
    missing.hidden = false;
  });
  return {
    figure,
    show(address, newStep, name, mayMark) {
      figure.hidden = address === null;
      if (address === null || newStep === null) return;
      set(image, { src: address, alt: altText(when, name, stepWords(newStep)) });
      step = newStep;
      hasMarks = mayMark;
      mark();
    },
  };
}

function altText(when: 'before' | 'after', step: string, text: string): string {
  return when === 'before'
    ? l10n.t('Screenshot before {0}, {1}', step, text)
    : l10n.t('Screenshot after {0}, {1}', step, text);
}

function ratio(figure: HTMLElement, size: Size): void {
  figure.style.setProperty('--ratio', String(size.width / size.height));
}

/** The screenshot after a step. A step without one did not change the page. */
function pictureAt(steps: readonly PanelStep[], position: number): string | null {
  for (let at = position; at >= 0; at--) {
    const address = steps[at]?.screenshot;
    if (address) return address;
  }
  return null;
}

function emptyWords(state: State, step: PanelStep | null): string {
  if (state.picture === 'live') {
    if (state.run !== null && isTextual(state.run)) {
      const phase = state.run.status === 'paused' ? l10n.t('paused') : state.phase;
      return [l10n.t('This environment has no screenshots'), phase].filter((part) => part !== null).join(' · ');
    }
    return (state.run?.steps.length === 0 ? state.phase : null) ?? l10n.t('Waiting for the first screenshot');
  }
  if (step === null) return state.live ? l10n.t('Waiting for the first step') : l10n.t('No steps were recorded');
  return state.picture === 'before' ? l10n.t('No screenshot before this step') : l10n.t('No screenshot of this step');
}

const preloads = new Map<string, HTMLImageElement>();

/** Preloads adjacent screenshots, so that the arrow keys show them without delay. */
function preload(addresses: readonly (string | null)[]): void {
  for (const address of addresses) {
    if (address === null || address === TOO_LARGE || preloads.has(address)) continue;
    const image = new Image();
    image.src = address;
    preloads.set(address, image);
  }
  for (const oldest of preloads.keys()) {
    if (preloads.size <= 8) break;
    preloads.delete(oldest);
  }
}
