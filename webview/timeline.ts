import * as l10n from '@vscode/l10n';
import type { PanelStep } from '../src/presentation/runs/messages.ts';
import { el, fill, on, set } from './dom.ts';
import { icon } from './icons.ts';
import { type StepNumber, stepName, stepNumbers } from './step-numbers.ts';
import { isFollowing, type State, shownStep } from './store.ts';
import type { Tools, View } from './view.ts';
import { WindowedList, type WindowItem } from './windowed.ts';
import { outcomeIcon, outcomeWord, stepOutcome, stepWords } from './words.ts';

/** Pixels from one thumbnail to the next; timeline.css has the same value. */
const PITCH = 76;

interface Thumb extends WindowItem {
  readonly step: PanelStep;
  readonly number: StepNumber;
  /** The newest screenshot up to this step. */
  readonly address: string | null;
}

/** The timeline of the run: a strip with a thumbnail for each step, and a tick for each evaluate call at its end. */
export function timeline({ store }: Tools): View {
  const scroller = el('div', { class: 'timeline-thumbs', role: 'presentation' });
  const ticks = el('div', { class: 'timeline-ticks', role: 'presentation' });
  const element = el(
    'div',
    { class: 'timeline', role: 'listbox', 'aria-label': l10n.t('Timeline'), 'aria-orientation': 'horizontal' },
    scroller,
    ticks,
  );
  let thumbs: readonly Thumb[] = [];
  let evaluateSteps: readonly PanelStep[] = [];
  const list = new WindowedList<Thumb>(scroller, {
    pitch: PITCH,
    horizontal: true,
    draw: (thumb) => mark(drawThumb(thumb), thumb.step),
  });

  function mark(option: HTMLElement, step: PanelStep): HTMLElement {
    const isSelected = shownStep(store.state)?.index === step.index;
    set(option, { 'aria-selected': String(isSelected), tabindex: isSelected ? 0 : -1 });
    return option;
  }

  function optionOf(step: PanelStep): HTMLElement | null {
    return list.elementOf(keyOf(step)) ?? ticks.querySelector<HTMLElement>(`[data-index="${step.index}"]`);
  }

  on(element, 'click', (event) => {
    const option = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    if (option) store.dispatch({ type: 'choose', index: Number(option.getAttribute('data-index')) });
  });
  on(element, 'keydown', (event) => {
    const current = shownStep(store.state);
    if (current === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = [...thumbs.map(({ step }) => step), ...evaluateSteps];
    const at = steps.indexOf(current);
    const to = list.positionAfter(event.key, at, steps.length, true);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const step = steps[to];
    if (step) store.dispatch({ type: 'choose', index: step.index });
  });

  function showSteps(state: State): void {
    const steps = state.run?.steps ?? [];
    thumbs = thumbsOf(steps, thumbs);
    evaluateSteps = steps.filter(({ source }) => source === 'evaluate');
    element.hidden = !thumbs.some((thumb) => thumb.address !== null);
    const numbers = stepNumbers(steps);
    fill(ticks, ...evaluateSteps.map((step) => mark(drawTick(step, numbers[steps.indexOf(step)]), step)));
    ticks.hidden = evaluateSteps.length === 0;
  }

  return {
    element,
    update(state, before) {
      const stepsChanged = state.run?.steps !== before.run?.steps;
      const current = shownStep(state);
      const previous = shownStep(before);
      const hadFocus = element.contains(document.activeElement);
      if (stepsChanged) showSteps(state);
      if (element.hidden || (!stepsChanged && current === previous)) return;
      const at = thumbs.findIndex(({ step }) => step === current);
      list.show(thumbs, at);
      for (const step of new Set([previous, current])) {
        const option = step && optionOf(step);
        if (step && option) mark(option, step);
      }
      if (current === null || !(current !== previous || isFollowing(state))) return;
      // The screenshot of an evaluate call is that of the last step.
      list.reveal(at < 0 ? thumbs.length - 1 : at);
      if (hadFocus) optionOf(current)?.focus({ preventScroll: true });
    },
  };
}

function keyOf(step: PanelStep): string {
  return String(step.index);
}

function thumbsOf(steps: readonly PanelStep[], before: readonly Thumb[]): readonly Thumb[] {
  const numbers = stepNumbers(steps);
  let address: string | null = null;
  const thumbs: Thumb[] = [];
  for (const [position, step] of steps.entries()) {
    address = step.screenshot ?? address;
    const number = numbers[position];
    if (step.source === 'evaluate' || number === undefined) continue;
    const old = before[thumbs.length];
    thumbs.push(old?.step === step && old.address === address ? old : { key: keyOf(step), step, number, address });
  }
  return thumbs;
}

function drawThumb({ step, number, address }: Thumb): HTMLElement {
  const name = stepName(number);
  const sign = step.error !== null ? icon('error') : number.kind === 'setup' ? icon('gear') : String(number.number);
  return el(
    'div',
    {
      class: 'thumb',
      role: 'option',
      'data-index': step.index,
      title: `${name}: ${stepWords(step)}`,
      'aria-label': `${name}, ${stepWords(step)}`,
    },
    address !== null && drawPicture(address),
    el('span', { class: 'thumb-number' }, sign),
  );
}

function drawTick(step: PanelStep, number: StepNumber | undefined): HTMLElement {
  const outcome = stepOutcome(step) ?? 'none';
  const name = number === undefined ? '' : stepName(number);
  return el(
    'div',
    {
      class: `tick is-${outcome}`,
      role: 'option',
      'data-index': step.index,
      title: `${name}: ${stepWords(step)}`,
      'aria-label': `${name}, ${stepWords(step)}, ${outcomeWord[outcome]}`,
    },
    icon(outcomeIcon[outcome]),
  );
}

/** A screenshot that cannot be loaded is hidden; the large one shows why. */
function drawPicture(address: string): HTMLElement {
  const picture = el('img', { src: address, alt: '', loading: 'lazy', decoding: 'async', draggable: 'false' });
  on(picture, 'error', () => {
    picture.hidden = true;
  });
  return picture;
}
