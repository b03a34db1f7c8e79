import type { Browser } from 'playwright-core';
import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import { defined } from '../../base/defined.ts';
import type { FunctionContext } from '../../functions/declaration.ts';
import type { Task } from '../../tasks/task.ts';
import {
  type CreateEnvironment,
  type Environment,
  EnvironmentError,
  type EnvironmentTools,
  type Picture,
  type Pointed,
  type RecordedSnapshot,
  type ResetOptions,
  requireTask,
  type SnapshotBatch,
  type SnapshotFacts,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { Withheld } from '../withheld.ts';
import { Acting } from './acting/acting.ts';
import { emptyClipboard } from './acting/empty-clipboard.ts';
import { ActionError, NavigationError } from './acting/failures.ts';
import { openAddress } from './acting/navigation.ts';
import { newTurn, type Turn } from './acting/turn.ts';
import { judgeStep } from './browsergym/judge-step.ts';
import { openBenchmark } from './browsergym/open-benchmark.ts';
import { LIMITS, type Limits, OutOfTime, within } from './limits.ts';
import { Live } from './live/live-view.ts';
import { describePointed } from './observing/element-at-point.ts';
import { observePage } from './observing/observe-page.ts';
import { showsPasswords } from './observing/pruned-html.ts';
import { stepResultOf } from './observing/step-result.ts';
import { resolveAddress } from './pages/addresses.ts';
import { PageFiles } from './pages/page-files.ts';
import { responds } from './pages/responds.ts';
import { canBeReused, reuseState } from './pages/reuse.ts';
import { borrowSessionState, createSessionState, type SessionState, scaleOf } from './pages/session-state.ts';
import { RestoredPages } from './recording/restored-pages.ts';

const BROWSER_CRASHED = 'The browser crashed or was closed. Run the task again to start a new one.';

/** The browser environment. Each task has a new browser context. */
export class BrowserEnvironment implements Environment {
  readonly #tools: EnvironmentTools;
  readonly #limits: Limits;
  readonly #lives = new Set<Live>();
  #closeController = new AbortController();
  #state: SessionState | null = null;
  /** Whether results have the HTML of the page, and the values of its password fields. */
  #html: { readonly passwords: boolean } | null = null;
  /** The restored pages of recordings, instead of a state. */
  #rebuilt: RestoredPages | null = null;
  /** The state of the last task, whose context can be previous. */
  #reusable: SessionState | null = null;
  #failure: EnvironmentError | null = null;
  #fail: (error: EnvironmentError) => void = () => undefined;
  broken: Promise<never> = new Promise(() => undefined);
  #forgetBrowser: () => void = () => undefined;

  constructor(tools: EnvironmentTools, limits: Limits = LIMITS) {
    this.#tools = tools;
    this.#limits = limits;
  }

  async reset({ task, files, seed, html }: ResetOptions): Promise<StartResult> {
    await this.#end(true);
    // It may have crashed since.
    if (this.#failure !== null) await this.#drop();
    this.#closeController = new AbortController();
    const browser = await this.#start();
    return this.#guard(async () => {
      const benchmark = await openBenchmark(task, files, seed, this.#tools);
      const limits = benchmark?.limits ?? this.#limits;
      const own = new PageFiles(files, 'folder' in files ? await Withheld.ofTask(task, files) : null);
      const previous = await reuseState(this.#reusable, browser, task, own, benchmark);
      if (previous === null) await this.#drop();
      this.#reusable = null;
      const fail = (error: EnvironmentError): void => this.#fail(error);
      const state =
        previous ??
        (await awaitBrowser(limits, createSessionState(browser, task, own, limits, benchmark, this.#lives, fail)));
      this.#state = state;
      state.tabs.forgetSite();
      const { tab } = await awaitBrowser(limits, previous === null ? state.tabs.create() : state.tabs.active());
      // Sent to the current page, before the next requests. If the page does not answer, the next request reports it.
      const clearing = within(limits.observe, 'the page', emptyClipboard(tab)).catch(() => false);
      const goal = benchmark === null ? null : await tab.runUnwatched(() => benchmark.start(tab, seed));
      if (benchmark === null) await this.#open(task, state);
      state.dialogs.attend(task);
      if (!(await clearing)) {
        this.#tools.log('The clipboard could not be cleared. It may contain text that the previous task has copied.');
      }
      state.documents = tab.documents;
      this.#html = html === true ? { passwords: showsPasswords(task) } : null;
      return {
        ...(await this.#observe(state)),
        goal,
        ...defined({ max_steps: benchmark?.maxSteps ?? undefined, warning: benchmark?.warning ?? undefined }),
      };
    });
  }

  /**
   * Acts on the pages that another program has opened in the browser, instead of `reset`. `target`: the id of the one to act on;
   * null for any. They are not recorded for re-scoring.
   */
  async borrow(target: string | null, task: Task): Promise<void> {
    await this.#end(false);
    this.#closeController = new AbortController();
    const browser = await this.#start();
    await this.#guard(async () => {
      const fail = (error: EnvironmentError): void => this.#fail(error);
      const limits = this.#limits;
      const state = await awaitBrowser(limits, borrowSessionState(browser, target, task, limits, this.#lives, fail));
      this.#state = state;
      state.documents = (await awaitBrowser(limits, state.tabs.active())).tab.documents;
      state.dialogs.attend(task);
    });
  }

  step(actions: readonly ActionInput[], screen?: Screen): Promise<StepResult> {
    const state = requireTask(this.#state);
    return this.#guard(async () => {
      await state.dialogs.unlessOpened(state.tabs.begin());
      const acting = new Acting(state, screen, {
        closeSignal: this.#closeController.signal,
        rethrowCrash: () => this.#rethrowCrash(),
        findCause: (error) => this.#findCause(error),
      });
      await acting.takeAll(actions);
      if (state.benchmark !== null)
        await judgeStep(state.benchmark, state, acting.turn, actions, () => this.#rethrowCrash());
      return this.#observe(state, acting.turn);
    });
  }

  observe(): Promise<StepResult> {
    const state = requireTask(this.#state);
    return this.#guard(async () => {
      const startTime = performance.now();
      // A page that is still loading can be observed. Only actions report a timeout.
      await state.dialogs.unlessOpened(this.#settle(state)).catch(() => undefined);
      const settle = performance.now() - startTime;
      return this.#observe(state, { ...newTurn(), settle });
    });
  }

  pointed(point: Point | null): Promise<Pointed | null> {
    const state = requireTask(this.#state);
    return this.#guard(async () => {
      const { dialogs } = state;
      if (dialogs.current !== null) return null;
      const { tab, elements } = await state.tabs.active();
      return (await dialogs.unlessOpened(describePointed(tab, elements, point, scaleOf(state))))?.value ?? null;
    });
  }

  async startCall(): Promise<() => void> {
    return (await this.#state?.dialogs.leave()) ?? (() => {});
  }

  async finish(): Promise<StepResult> {
    const { dialogs, downloads } = requireTask(this.#state);
    await Promise.all([dialogs.leave(), downloads.finish()]);
    return this.observe();
  }

  async #settle({ tabs, limits }: SessionState): Promise<void> {
    await (await tabs.active()).tab.settle(limits);
  }

  async restore(moment: RecordedSnapshot): Promise<readonly string[]> {
    const pages = await this.#openRecordings();
    return this.#guard(() => pages.show(moment));
  }

  async readEach(moments: SnapshotBatch): Promise<readonly (SnapshotFacts | null)[]> {
    const pages = await this.#openRecordings();
    return this.#guard(() => pages.readEach(moments));
  }

  async #openRecordings(): Promise<RestoredPages> {
    // The browser may have crashed while the pages were idle.
    if (this.#state !== null || this.#failure !== null) await this.#end(false);
    // A crash of an idle tab would make this work fail.
    await this.#drop();
    if (this.#rebuilt === null) this.#rebuilt = new RestoredPages(await this.#start(), this.#limits.action);
    return this.#rebuilt;
  }

  functionContext(): FunctionContext {
    if (this.#rebuilt !== null) return this.#rebuilt.functionContext();
    const state = requireTask(this.#state);
    const { limits } = state;
    const open = this.#show.bind(this);
    return {
      get page() {
        return state.tabs.page;
      },
      get response() {
        return state.response;
      },
      get actions() {
        return state.records;
      },
      open: (target) => open(target, state),
      downloads: async () => {
        await state.downloads.settle();
        return state.downloads.files();
      },
      actionTimeout: limits.action,
    };
  }

  async whyStuck(): Promise<string | null> {
    const state = this.#state;
    const page = state?.tabs.page;
    if (state === null || page === undefined || state.records.length === 0) return null;
    const { last } = state.tabs;
    const isRunning = last?.tab.page === page && last.reader.runsScript();
    if ((await responds(page)) || !(await isRunning)) return null;
    return state.tabs.isVisited(page.url())
      ? `a script of the page that the agent opened does not end: ${page.url()}`
      : 'the page does not respond: one of its scripts does not end';
  }

  /** The error for the end of the browser, which a page that the agent visited may have caused. */
  browserGone(): EnvironmentError {
    const tabs = this.#state?.tabs;
    const address = tabs?.page?.url() ?? '';
    return tabs?.isVisited(address) === true
      ? new EnvironmentError('visited_page_crashed', `The browser crashed on a page that the agent opened: ${address}`)
      : new EnvironmentError('browser_crashed', BROWSER_CRASHED);
  }

  urls(): { readonly url: string | null; readonly live_url: string | null } {
    return { url: this.#state?.tabs.page?.url() ?? null, live_url: null };
  }

  async live(frame: (picture: Picture) => void): Promise<() => Promise<void>> {
    const live = new Live(frame, this.#tools.log);
    this.#lives.add(live);
    const state = this.#state;
    if (state) await live.follow((await state.tabs.active()).tab);
    return async () => {
      this.#lives.delete(live);
      await live.stop();
    };
  }

  async rest(): Promise<void> {
    await this.#stop();
    // The tabs of recordings stay open, because they are re-scored repeatedly while the user edits.
    if (this.#rebuilt === null || this.#failure !== null) await this.#end(true);
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.#end(false);
    await this.#drop();
  }

  async #stop(): Promise<void> {
    this.#closeController.abort();
    await Promise.all([...this.#lives].map((live) => live.stop()));
    this.#lives.clear();
  }

  /** Ends the last task. Closes its context unless it can be previous. */
  async #end(keep: boolean): Promise<void> {
    const state = this.#state;
    const rebuilt = this.#rebuilt;
    this.#state = null;
    this.#rebuilt = null;
    this.#forgetBrowser();
    await rebuilt?.close();
    if (!state) return;
    if (keep && this.#failure === null && (await canBeReused(state))) {
      this.#reusable = state;
      await state.pastElements.close();
    } else await this.#dispose(state);
  }

  async #drop(): Promise<void> {
    const reusable = this.#reusable;
    this.#reusable = null;
    if (reusable !== null) await this.#dispose(reusable);
  }

  async #dispose(state: SessionState): Promise<void> {
    const closing = Promise.allSettled([state.borrowed ? null : state.context.close(), state.pastElements.close()]);
    // A browser that crashed or hangs does not close contexts. Its owner terminates it.
    await within(5000, 'closing the pages', closing).catch(() => undefined);
  }

  async #start(): Promise<Browser> {
    this.#failure = null;
    this.broken = new Promise<never>((_, reject) => {
      this.#fail = (error) => {
        this.#failure ??= error;
        reject(error);
      };
    });
    // Work in progress fails with this error; otherwise the next request does.
    this.broken.catch(() => undefined);
    const browser = await this.#tools.browser();
    const onDisconnect = (): void => this.#fail(this.browserGone());
    if (!browser.isConnected()) onDisconnect();
    browser.on('disconnected', onDisconnect);
    this.#forgetBrowser = () => browser.off('disconnected', onDisconnect);
    return browser;
  }

  /** Opens the start page of the task. */
  async #open(task: Task, state: SessionState): Promise<void> {
    const { html, start_url } = task.initial_state;
    try {
      if (html !== undefined) await this.#show({ html }, state);
      else if (start_url !== undefined) await this.#show({ url: start_url }, state);
    } catch (error) {
      if (error instanceof ActionError) {
        throw new EnvironmentError('start_failed', `the task cannot start: ${error.message}`, { cause: error });
      }
      throw error;
    }
  }

  async #show(target: { url: string } | { html: string }, state: SessionState): Promise<void> {
    const { tab } = await state.tabs.active();
    await state.taskPages.serve();
    if ('html' in target) return openAddress(tab, state.taskPages.show(target.html), state.limits);
    const address = await resolveAddress(target.url, state.files, tab.page.url());
    if ('refusal' in address) throw new ActionError(address.code, address.refusal);
    try {
      await openAddress(tab, address.url, state.limits);
    } catch (error) {
      throw await this.#findCause(error);
    }
  }

  /** The reason why a URL is not reachable from where the environment runs, if known; otherwise the error. */
  async #findCause(error: unknown): Promise<unknown> {
    if (!(error instanceof NavigationError)) return error;
    const why = await this.#tools.whyUnreached?.(error.url);
    return why === null || why === undefined ? error : new NavigationError(error.url, `could not be opened: ${why}`);
  }

  /** The observation of the active tab, with all messages and actions since the last one. */
  async #observe(state: SessionState, turn?: Turn): Promise<StepResult> {
    const pageObservation = await observePage(state, () => this.#rethrowCrash(), this.#html, turn?.early);
    await state.downloads.settle();
    const { screenshot } = pageObservation.observation;
    if (screenshot !== null)
      for (const live of this.#lives) live.show(screenshot, scaleOf(state), pageObservation.requestedAt);
    return stepResultOf(state, pageObservation, turn);
  }

  /** Runs the work. Rejects if the page or the browser crashes meanwhile. */
  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await Promise.race([this.broken, work()]);
    } catch (error) {
      await this.#rethrowCrash();
      if (error instanceof EnvironmentError) throw error;
      throw new EnvironmentError('environment_failed', error instanceof Error ? error.message : String(error), {
        cause: error,
      });
    }
  }

  /**
   * Throws if the page or the browser has crashed. A crash may be reported shortly after the failures that it causes.
   */
  async #rethrowCrash(): Promise<void> {
    if (this.#failure) throw this.#failure;
  }
}

/** @throws EnvironmentError `browser_failed` if a browser that has started does not answer */
async function awaitBrowser<T>(limits: Limits, answer: Promise<T>): Promise<T> {
  try {
    return await within(limits.start, 'the browser', answer);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    throw new EnvironmentError('browser_failed', `The browser started, but did not open a page: ${error.message}.`);
  }
}

export const create: CreateEnvironment = (tools) => new BrowserEnvironment(tools);
