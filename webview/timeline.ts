import * as l10n from '@vscode/l10n';
import type { PanelStep } from '../src/editor/panel/messages.ts';
import { el, on, set } from './dom.ts';
import { icon } from './icons.ts';
import { isFollowing, positionOf, shownStep } from './store.ts';
import type { Tools, View } from './view.ts';
import { WindowedList, type WindowItem } from './windowed.ts';
import { outcomeIcon, stepOutcome, stepWords } from './words.ts';

/** Pixels from one thumbnail to the next; timeline.css has the same value. */
const PITCH = 76;

interface Thumb extends WindowItem {
  readonly step: PanelStep;
  readonly position: number;
  /** The newest screenshot up to this step. */
  readonly address: string | null;
}

/** The timeline of the run: a strip with a thumbnail for each step. */
export function timeline({ store }: Tools): View {
  const scroller = el('div', {
    class: 'timeline',
    role: 'listbox',
    'aria-label': l10n.t('Timeline'),
    'aria-orientation': 'horizontal',
  });
  let thumbs: readonly Thumb[] = [];
  const list = new WindowedList<Thumb>(scroller, {
    pitch: PITCH,
    horizontal: true,
    draw: (thumb) => mark(drawThumb(thumb), thumb.step),
  });

  function mark(element: HTMLElement, step: PanelStep): HTMLElement {
    const chosen = shownStep(store.state)?.index === step.index;
    set(element, { 'aria-selected': String(chosen), tabindex: chosen ? 0 : -1 });
    return element;
  }

  on(scroller, 'click', (event) => {
    const thumb = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    if (thumb) store.dispatch({ type: 'choose', index: Number(thumb.getAttribute('data-index')) });
  });
  on(scroller, 'keydown', (event) => {
    const shown = shownStep(store.state);
    if (shown === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = thumbs.findIndex((thumb) => thumb.step === shown);
    const moves: Partial<Record<string, number>> = {
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      Home: 0,
      End: thumbs.length - 1,
      PageUp: at - list.page,
      PageDown: at + list.page,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const thumb = thumbs[Math.min(Math.max(to, 0), thumbs.length - 1)];
    if (thumb) store.dispatch({ type: 'choose', index: thumb.step.index });
  });

  return {
    element: scroller,
    update(state, before) {
      const steps = state.run?.steps ?? [];
      const changed = steps !== before.run?.steps;
      const shown = shownStep(state);
      const shownBefore = shownStep(before);
      if (changed) {
        thumbs = thumbsOf(steps, thumbs);
        scroller.hidden = !thumbs.some((thumb) => thumb.address !== null);
      }
      if (scroller.hidden || (!changed && shown === shownBefore)) return;
      const at = shown === null ? -1 : positionOf(steps, shown.index);
      const hadFocus = scroller.contains(document.activeElement);
      list.show(thumbs, at);
      for (const step of new Set([shownBefore, shown])) {
        const element = step && list.elementOf(keyOf(step));
        if (step && element) mark(element, step);
      }
      if (at >= 0 && (shown !== shownBefore || isFollowing(state))) {
        list.reveal(at);
        if (hadFocus && shown) list.elementOf(keyOf(shown))?.focus({ preventScroll: true });
      }
    },
  };
}

function keyOf(step: PanelStep): string {
  return String(step.index);
}

function thumbsOf(steps: readonly PanelStep[], before: readonly Thumb[]): readonly Thumb[] {
  let address: string | null = null;
  return steps.map((step, position) => {
    address = step.screenshot ?? address;
    const old = before[position];
    return old?.step === step && old.address === address ? old : { key: keyOf(step), step, position, address };
  });
}

function drawThumb({ step, position, address }: Thumb): HTMLElement {
  const outcome = stepOutcome(step);
  return el(
    'div',
    {
      class: `thumb${outcome ? ` is-${outcome}` : ''}`,
      role: 'option',
      'data-index': step.index,
      title: `${position + 1} ${stepWords(step)}`,
      'aria-label': l10n.t('Step {0}, {1}', position + 1, stepWords(step)),
      'aria-posinset': position + 1,
    },
    address !== null && drawPicture(address),
    el(
      'span',
      { class: 'thumb-number' },
      outcome !== null ? icon(outcomeIcon[outcome]) : step.error !== null ? icon('error') : String(position + 1),
    ),
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
