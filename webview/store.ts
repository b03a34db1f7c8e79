import type { HostMessage, PanelCurve, PanelRun, PanelState, PanelStep } from '../src/presentation/runs/messages.ts';
import { isRunning } from './words.ts';

export const tabs = ['step', 'observation', 'console', 'raw'] as const;
export type Tab = (typeof tabs)[number];
export const pictureModes = ['live', 'before', 'after', 'both'] as const;
export type PictureMode = (typeof pictureModes)[number];

type Message<T extends HostMessage['type']> = Extract<HostMessage, { type: T }>;
export type StepText = Omit<Message<'text'>, 'type' | 'index'>;
export type StepJson = Message<'raw'>['json'];

/** The state of the page, without frames of the live view. */
export interface State {
  readonly run: PanelRun | null;
  /** Whether frames of the live view arrive. */
  readonly live: boolean;
  /** Index of the selected step; null follows the newest. */
  readonly select: number | null;
  readonly tab: Tab;
  readonly picture: PictureMode;
  readonly phase: string | null;
  readonly doing: string | null;
  /** Keyboard input goes to the environment. */
  readonly capturing: boolean;
  /** Typed text that was not sent to the environment yet. */
  readonly typing: string;
  /** Why the run cannot be shown. */
  readonly failure: string | null;
  /** The reward after each step; `asked`: it is being computed. */
  readonly curve: PanelCurve | 'asked' | null;
  readonly texts: ReadonlyMap<number, StepText>;
  readonly raws: ReadonlyMap<number, StepJson>;
}

export type StoreEvent =
  | Exclude<HostMessage, { type: 'frame' }>
  | { readonly type: 'choose'; readonly index: number | null }
  | { readonly type: 'askCurve' }
  | { readonly type: 'capture'; readonly on: boolean }
  | { readonly type: 'tab'; readonly tab: Tab }
  | { readonly type: 'picture'; readonly picture: PictureMode };

export const empty: State = {
  run: null,
  live: false,
  select: null,
  tab: 'step',
  picture: 'after',
  phase: null,
  doing: null,
  capturing: false,
  typing: '',
  failure: null,
  curve: null,
  texts: new Map(),
  raws: new Map(),
};

/** Maximum number of cached texts and JSON documents. */
const CACHE_SIZE = 64;

export function reduce(state: State, event: StoreEvent): State {
  switch (event.type) {
    case 'run': {
      const isSameRun = state.run?.runId === event.run.runId;
      // An update of the same run keeps the selection.
      const select = event.select ?? (isSameRun ? state.select : null);
      return {
        ...state,
        run: event.run,
        live: event.live,
        select,
        // The user reads the observation while filling in the form.
        tab: event.run.actions !== null && !(isSameRun && state.run?.actions != null) ? 'observation' : state.tab,
        picture:
          isSameRun && event.live === state.live
            ? state.picture
            : event.live && select === null
              ? 'live'
              : recordedMode(state.picture),
        phase: isSameRun ? state.phase : null,
        doing: isSameRun ? state.doing : null,
        failure: null,
        curve: isSameRun ? state.curve : null,
        texts: isSameRun ? state.texts : new Map(),
        raws: isSameRun ? state.raws : new Map(),
      };
    }
    case 'phase':
      return { ...state, phase: event.text, doing: null };
    case 'doing':
      return { ...state, doing: event.text };
    case 'step':
      return state.run === null
        ? state
        : { ...state, doing: null, run: { ...state.run, steps: withStep(state.run.steps, event.step) } };
    case 'ended':
      return {
        ...state,
        run: event.run,
        select: state.select ?? event.select,
        // The observation was shown for the form: the result is in the step.
        tab: state.run?.actions != null && state.tab === 'observation' ? 'step' : state.tab,
        live: false,
        picture: recordedMode(state.picture),
        phase: null,
        doing: null,
      };
    case 'select':
    case 'choose':
      return select(state, event.index);
    case 'typing':
      return { ...state, typing: event.text };
    case 'askCurve':
      return { ...state, curve: 'asked' };
    case 'curve':
      return event.runId === state.run?.runId ? { ...state, curve: event.curve } : state;
    case 'capture':
      return { ...state, capturing: event.on };
    case 'pinned':
      return state.run === null ? state : { ...state, run: { ...state.run, pinned: event.pinned } };
    case 'text': {
      const { type: _type, index, ...text } = event;
      return { ...state, texts: withEntry(state.texts, index, text) };
    }
    case 'raw':
      return { ...state, raws: withEntry(state.raws, event.index, event.json) };
    case 'failed':
      return { ...empty, tab: state.tab, picture: recordedMode(state.picture), failure: event.message };
    case 'tab':
      return { ...state, tab: event.tab };
    case 'picture':
      return event.picture === 'live'
        ? { ...state, picture: 'live', select: null }
        : { ...state, picture: event.picture };
  }
}

/** The shown step: the selected one, or the newest. */
export function shownStep(state: State): PanelStep | null {
  const steps = state.run?.steps ?? [];
  return (state.select === null ? steps.at(-1) : steps[positionOf(steps, state.select)]) ?? null;
}

/** The position of the step with this index, or -1. */
export function positionOf(steps: readonly PanelStep[], index: number): number {
  return steps[index]?.index === index ? index : steps.findIndex((step) => step.index === index);
}

/** Whether the newest step of a run in progress is shown. */
export function isFollowing(state: State): boolean {
  return state.select === null && state.run !== null && isRunning(state.run);
}

/** Restores the state before a reload, if the run is the same. */
export function restore(state: State, savedState: PanelState | null): State {
  if (savedState === null || state.run === null || savedState.traceDir !== state.run.traceDir) return state;
  const select = state.select ?? (positionOf(state.run.steps, savedState.select ?? -1) < 0 ? null : savedState.select);
  const picture = pictureModes.find((mode) => mode === savedState.picture) ?? state.picture;
  return {
    ...state,
    select,
    tab: tabs.find((tab) => tab === savedState.tab) ?? state.tab,
    picture: picture === 'live' && !(state.live && select === null) ? recordedMode(picture) : picture,
  };
}

export class Store {
  #state = empty;
  readonly #listeners: ((state: State, event: StoreEvent) => void)[] = [];

  get state(): State {
    return this.#state;
  }

  dispatch(event: StoreEvent, then: (state: State) => State = (state) => state): void {
    this.#state = then(reduce(this.#state, event));
    for (const listener of this.#listeners) listener(this.#state, event);
  }

  listen(listener: (state: State, event: StoreEvent) => void): void {
    this.#listeners.push(listener);
  }
}

function select(state: State, index: number | null): State {
  if (index === null) return { ...state, select: null, picture: state.live ? 'live' : state.picture };
  return { ...state, select: index, picture: recordedMode(state.picture) };
}

function recordedMode(mode: PictureMode): PictureMode {
  return mode === 'live' ? 'after' : mode;
}

function withStep(steps: readonly PanelStep[], step: PanelStep): readonly PanelStep[] {
  const position = positionOf(steps, step.index);
  return position < 0 ? [...steps, step] : steps.with(position, step);
}

function withEntry<T>(map: ReadonlyMap<number, T>, index: number, value: T): ReadonlyMap<number, T> {
  const next = new Map(map);
  next.delete(index);
  next.set(index, value);
  for (const oldest of next.keys()) {
    if (next.size <= CACHE_SIZE) break;
    next.delete(oldest);
  }
  return next;
}
