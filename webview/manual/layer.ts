import * as l10n from '@vscode/l10n';
import type { ManualGesture, Point } from '../../src/presentation/runs/messages.ts';
import { el, on } from '../dom.ts';
import { Overlay } from '../overlay.ts';
import type { State } from '../store.ts';
import type { Tools } from '../view.ts';
import { isRunning } from '../words.ts';
import { Gestures, type PointerSample } from './gestures.ts';
import { heldKeys, keyActionOf, LEAVE } from './keys.ts';
import { pagePoint } from './page-point.ts';

const MAC = navigator.platform.startsWith('Mac');
const BUTTONS = ['left', 'middle', 'right'] as const;
/** Pixels per line of a wheel event in lines. */
const LINE = 40;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Receives mouse and keyboard input over the live view. */
export interface ManualLayer {
  readonly element: HTMLElement;
  /** The size of the page in CSS pixels, from the newest frame. */
  resize(page: Size): void;
  update(state: State, before: State): void;
}

/** Whether the shown run is a manual run in progress. */
export function isManual(state: State): boolean {
  return state.run?.manual === true && isRunning(state.run) && state.run.status !== 'paused' && state.live;
}

/**
 * The mouse acts in the page at once. Keys go to the page only while the field in this layer has the focus, which is the
 * capture. The field composes characters as any field does (accents, input methods, pasting).
 */
export function manualLayer({ store, host }: Tools): ManualLayer {
  let page: Size = { width: 1, height: 1 };
  const overlay = new Overlay();
  const field = keyboardField();
  const element = layerElement(overlay, field);
  const gestures = new Gestures(post);

  function post(input: ManualGesture): void {
    host.post({ type: 'hand', input });
    if (input.kind === 'click') overlay.show([{ action: '…', point: input.point }], page);
  }

  const parts: LayerParts = { element, field, overlay, gestures, post, page: () => page };
  connectMouse(parts);
  connectKeyboard(parts, (on) => store.dispatch({ type: 'capture', on }));

  return {
    element,
    resize({ width, height }) {
      page = { width, height };
    },
    update(state, before) {
      const active = isManual(state);
      if (element.hidden === active) {
        if (!active) gestures.cancel();
        element.hidden = !active;
      }
      if (state.run?.steps !== before.run?.steps || state.doing !== before.doing) overlay.show([], page);
    },
  };
}

/** What the mouse and the keyboard share. */
interface LayerParts {
  readonly element: HTMLElement;
  readonly field: HTMLTextAreaElement;
  readonly overlay: Overlay;
  readonly gestures: Gestures;
  /** Sends input to the environment. */
  post(input: ManualGesture): void;
  /** The size of the page in CSS pixels. */
  page(): Size;
}

function keyboardField(): HTMLTextAreaElement {
  return el('textarea', {
    class: 'manual-field',
    tabindex: -1,
    rows: 1,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-label': l10n.t('Keyboard goes to the page. {0} releases it.', LEAVE),
  });
}

function layerElement(overlay: Overlay, field: HTMLElement): HTMLElement {
  return el(
    'div',
    {
      class: 'manual-layer',
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'live page',
      hidden: true,
      'aria-label': l10n.t('Live page. Press Enter to type in it, or click in it.'),
    },
    overlay.element,
    field,
  );
}

/** Clicks, drags, and the wheel. */
function connectMouse({ element, field, overlay, gestures, post, page }: LayerParts): void {
  /** The pointer position in the window. Wheel events have only whole pixels. */
  let pointer: Point = { x: 0, y: 0 };
  function pointerPoint(): Point {
    return pagePoint(pointer, element.getBoundingClientRect(), page());
  }
  function sample(event: PointerEvent): PointerSample {
    pointer = { x: event.clientX, y: event.clientY };
    return { page: pointerPoint(), window: pointer, hold: heldKeys(event) };
  }

  on(element, 'pointerdown', (event) => {
    const button = BUTTONS[event.button];
    // Keep the focus in the field.
    event.preventDefault();
    field.focus({ preventScroll: true });
    if (button === undefined) return;
    element.setPointerCapture(event.pointerId);
    gestures.down(button, sample(event));
  });
  on(element, 'pointermove', (event) => {
    gestures.move(sample(event));
    const { path } = gestures;
    if (path !== null) overlay.show([{ action: 'drag', path }], page());
  });
  on(element, 'pointerup', (event) => {
    gestures.up(sample(event));
    if (gestures.path === null && !element.hidden) element.releasePointerCapture(event.pointerId);
  });
  on(element, 'pointercancel', () => gestures.cancel());
  for (const type of ['mousedown', 'auxclick', 'contextmenu', 'dragstart'] as const) {
    on(element, type, (event) => event.preventDefault());
  }
  element.addEventListener(
    'wheel',
    (event) => {
      // The wheel scrolls the panel until the user clicks the page.
      if (document.activeElement !== field) return;
      event.preventDefault();
      gestures.settle();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : event.deltaMode === 0 ? 1 : page().height;
      const [x, y] = [Math.round(event.deltaX * unit), Math.round(event.deltaY * unit)];
      if (x !== 0 || y !== 0) post({ kind: 'scroll', point: pointerPoint(), x, y, hold: heldKeys(event) });
    },
    { passive: false },
  );
}

/** Keys, and text that the field composes. */
function connectKeyboard(
  { element, field, gestures, post }: LayerParts,
  onCapture: (isCapturing: boolean) => void,
): void {
  on(element, 'keydown', (event) => {
    if (event.target !== element || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    event.stopPropagation();
    field.focus({ preventScroll: true });
  });
  on(field, 'keydown', (event) => {
    const key = keyActionOf(event, MAC);
    // Stopping propagation would prevent VS Code from pasting.
    if (key === 'pastes') return;
    event.stopPropagation();
    if (key === 'types') return;
    event.preventDefault();
    if (key === 'leaves') element.focus({ preventScroll: true });
    else if (key !== 'nothing') {
      gestures.settle();
      post({ kind: 'key', keys: key.keys });
    }
  });
  function sendText(): void {
    const text = field.value;
    field.value = '';
    if (text === '') return;
    gestures.settle();
    post({ kind: 'text', text });
  }
  on(field, 'input', (event) => {
    if (!(event instanceof InputEvent && event.isComposing)) sendText();
  });
  on(field, 'compositionend', sendText);
  on(field, 'focus', () => onCapture(true));
  on(field, 'blur', () => {
    sendText();
    onCapture(false);
  });
}
