import type { ActionInput, Screen as ScreenSize } from '../../actions/action.ts';
import type { NormalAction } from '../../actions/normal.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { fitScreen } from '../../actions/rescale.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { ActionRecord, FunctionContext } from '../../functions/declaration.ts';
import { recordAction } from '../action-records.ts';
import {
  type Acted,
  type CreateEnvironment,
  type Environment,
  EnvironmentError,
  type EnvironmentTools,
  type Picture,
  type RecordedSnapshot,
  type ResetOptions,
  requireFolder,
  requireTask,
  type StartResult,
  type StepInfo,
  type StepResult,
} from '../environment.ts';
import type { RecordedAction } from '../recorded.ts';
import { unrecordedContext } from '../unrecorded.ts';
import { Withheld } from '../withheld.ts';
import { act, DesktopActionError } from './act.ts';
import { RunningDesktop } from './desktop.ts';
import { takeStep } from './osworld.ts';
import { readOsworld } from './osworld-config.ts';
import type { UsedDesktop } from './used-desktop.ts';
import { windowsText } from './windows.ts';

/** Why evaluate calls on a desktop cannot be re-scored. */
const NOT_RECORDED = 'the state of a desktop is not recorded';

/** The state of one task. */
interface SessionState {
  readonly desktop: UsedDesktop;
  /** The same, if it was started for the task. */
  readonly own: RunningDesktop | null;
  response: string | null;
  readonly records: ActionRecord[];
}

/** The result of one answer of the agent. */
interface Turn {
  readonly acted: Acted[];
  readonly recorded: RecordedAction[];
  response: string | null;
  terminated: boolean;
  shows: boolean;
  error: StepResult['error'];
}

interface LiveView {
  readonly frame: (picture: Picture) => void;
  stop: (() => Promise<void>) | null;
}

/** The desktop environment. Each task has its own X server, window manager, and home folder. */
export class DesktopEnvironment implements Environment {
  readonly #tools: EnvironmentTools;
  readonly #lives = new Set<LiveView>();
  #state: SessionState | null = null;
  /** Set while a snapshot of a recorded run is restored. */
  #restoredContext: FunctionContext | null = null;
  #closeController = new AbortController();

  constructor(tools: EnvironmentTools) {
    this.#tools = tools;
  }

  async reset({ task, files }: ResetOptions): Promise<StartResult> {
    await this.#end();
    const local = requireFolder(files);
    this.#closeController = new AbortController();
    const withheld = await Withheld.ofTask(task, local);
    const desktop = await RunningDesktop.start({ folder: local.folder, withheld });
    this.#state = { desktop, own: desktop, response: null, records: [] };
    const { start_url, html } = task.initial_state;
    return this.#guard(async (state) => {
      if (html !== undefined) {
        const message =
          'A desktop cannot start with HTML. Save it in a file next to the task, and use upload_file and open.';
        throw new EnvironmentError('start_failed', message);
      }
      try {
        for (const step of readOsworld(task.env['config']).steps) await takeStep(step, desktop);
        if (start_url !== undefined) await desktop.open(start_url);
      } catch (error) {
        const message = `the task cannot start: ${describeSystemError(error)}`;
        throw new EnvironmentError('start_failed', message, { cause: error });
      }
      for (const live of this.#lives) this.#follow(live, desktop);
      await desktop.settle(performance.now());
      return { ...(await this.#observe(state, null)), goal: null };
    });
  }

  /** Acts on a desktop that another program runs, instead of `reset`. Closes the connection at the end. */
  async borrow(desktop: UsedDesktop): Promise<void> {
    await this.#end();
    this.#closeController = new AbortController();
    this.#state = { desktop, own: null, response: null, records: [] };
  }

  step(inputs: readonly ActionInput[], screen?: ScreenSize): Promise<StepResult> {
    return this.#guard(async (state) => {
      const turn: Turn = { acted: [], recorded: [], response: null, terminated: false, shows: false, error: null };
      const start = performance.now();
      for (const input of inputs) {
        if (turn.error !== null || turn.terminated) break;
        await this.#take(input, screen, state, turn);
      }
      const end = performance.now();
      if (turn.shows) await state.desktop.settle(end);
      return this.#observe(state, turn, { action: end - start, settle: performance.now() - end });
    });
  }

  observe(): Promise<StepResult> {
    return this.#guard(async (state) => {
      await state.desktop.settle(performance.now());
      return this.#observe(state, null);
    });
  }

  async restore(moment: RecordedSnapshot): Promise<readonly string[]> {
    await this.#end();
    this.#restoredContext = unrecordedContext(NOT_RECORDED, moment);
    return [];
  }

  functionContext(): FunctionContext {
    if (this.#restoredContext !== null) return this.#restoredContext;
    const state = requireTask(this.#state);
    return {
      ...(state.own === null ? {} : { workspace: state.own.workspace, desktop: state.own }),
      get response() {
        return state.response;
      },
      actions: state.records,
      actionTimeout: 0,
    };
  }

  async live(frame: (picture: Picture) => void): Promise<() => Promise<void>> {
    const live: LiveView = { frame, stop: null };
    this.#lives.add(live);
    if (this.#state !== null) this.#follow(live, this.#state.desktop);
    return async () => {
      this.#lives.delete(live);
      await live.stop?.();
    };
  }

  async close(): Promise<void> {
    await this.#end();
    this.#lives.clear();
  }

  #follow(live: LiveView, desktop: UsedDesktop): void {
    live.stop = desktop.screen.live(live.frame, (error) =>
      this.#tools.log(`No live view of the desktop is available: ${error.message}`),
    );
  }

  async #end(): Promise<void> {
    const state = this.#state;
    this.#state = null;
    this.#restoredContext = null;
    this.#closeController.abort();
    await Promise.all([...this.#lives].map((live) => live.stop?.()));
    await state?.desktop.close();
  }

  /** Executes the actions of one input, up to the first failure. */
  async #take(input: ActionInput, screen: ScreenSize | undefined, state: SessionState, turn: Turn): Promise<void> {
    const { actions, failure } = normaliseAction(input);
    const { width, height } = state.desktop.size;
    const record = (normalised: NormalAction | null, error: string | null): void => {
      state.records.push(recordAction(input, normalised, error));
      turn.recorded.push({ input, normalised, error, typed: null, element: null });
    };
    for (const read of actions) {
      const action = screen === undefined ? read : fitScreen(read, screen, { width, height });
      try {
        const outcome = await act(action, state.desktop, this.#closeController.signal);
        turn.acted.push(outcome.acted);
        turn.shows ||= outcome.shows;
        turn.terminated ||= outcome.terminated === true;
        if (outcome.response !== undefined) {
          state.response = outcome.response;
          turn.response = outcome.response;
        }
      } catch (error) {
        if (!(error instanceof DesktopActionError)) throw error;
        turn.error = { code: error.code, message: error.message };
      }
      record(action, turn.error?.message ?? null);
      if (turn.error !== null || turn.terminated) return;
    }
    if (failure !== null) {
      turn.error = failure;
      record(null, failure.message);
    }
  }

  async #observe(
    { desktop }: SessionState,
    turn: Turn | null,
    timing: { readonly action: number; readonly settle: number } = { action: 0, settle: 0 },
  ): Promise<StepResult> {
    const start = performance.now();
    const [screenshot, windows] = await Promise.all([desktop.screen.picture(), desktop.windows()]);
    const picture = performance.now() - start;
    const messages = desktop.messages.splice(0);
    const info: StepInfo = {
      ...(turn !== null && turn.acted.length > 0 ? { acted: turn.acted } : {}),
      ...(messages.length > 0 ? { messages } : {}),
      viewport: { width: screenshot.width, height: screenshot.height },
      timing: { ...timing, picture, text: 0 },
      ...(turn !== null && turn.response !== null ? { response: turn.response } : {}),
      ...(windows && { windows: windows.map(({ title, app, active, box }) => ({ title, app, active, box })) }),
    };
    return {
      observation: { text: windows === null ? null : windowsText(windows), screenshot },
      reward: null,
      terminated: turn?.terminated ?? false,
      info,
      error: turn?.error ?? null,
      recorded: { page: null, missing: NOT_RECORDED, resources: {}, actions: turn?.recorded ?? [] },
    };
  }

  /** Runs work, which fails with the reason if the desktop breaks meanwhile. */
  async #guard<T>(work: (state: SessionState) => Promise<T>): Promise<T> {
    const state = requireTask(this.#state);
    try {
      return await Promise.race([work(state), state.desktop.broken]);
    } catch (error) {
      if (error instanceof EnvironmentError || this.#closeController.signal.aborted) throw error;
      // The connection may fail before the end of the process is reported.
      await withTimeout(200, state.desktop.broken);
      throw error;
    }
  }
}

export const create: CreateEnvironment = (tools) => new DesktopEnvironment(tools);
