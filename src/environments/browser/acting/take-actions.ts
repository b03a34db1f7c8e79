import type { ActionInput, Screen } from '../../../actions/action.ts';
import type { NormalAction } from '../../../actions/normal.ts';
import { normaliseAction } from '../../../actions/normalise.ts';
import { fitScreen, rescale } from '../../../actions/rescale.ts';
import { takeEarly } from '../observing/observe-page.ts';
import { refusal } from '../pages/addresses.ts';
import { type Scene, scaleOf, VIEWPORT } from '../pages/session-state.ts';
import type { OpenTab } from '../pages/tabs.ts';
import { act } from './act.ts';
import { type Deed, newDeed, type Stage } from './action-context.ts';
import { ActionError, explainNavigation } from './failures.ts';
import { revealed, secretsTyped } from './secrets.ts';
import { keep, newRound, type Round } from './turn.ts';

/** What the environment that has the scene knows beside it. */
export interface ActingTools {
  /** Aborted when the environment closes or begins another task. */
  readonly closed: AbortSignal;
  /** Throws the crash that made other things fail. */
  rethrowCrash(): Promise<void>;
  /** An error, or what is known to be behind it. */
  traced(error: unknown): Promise<unknown>;
}

/** Carries out what the agent does in one step; what came of it, its first failure too, is in the round. */
export async function takeActions(
  actions: readonly ActionInput[],
  screen: Screen | undefined,
  scene: Scene,
  tools: ActingTools,
): Promise<Round> {
  const acting = new Acting(scene, screen, tools);
  await acting.takeAll(actions);
  return acting.round;
}

class Acting {
  readonly round = newRound();
  readonly #scene: Scene;
  readonly #screen: Screen | undefined;
  readonly #tools: ActingTools;

  constructor(scene: Scene, screen: Screen | undefined, tools: ActingTools) {
    this.#scene = scene;
    this.#screen = screen;
    this.#tools = tools;
  }

  async takeAll(actions: readonly ActionInput[]): Promise<void> {
    for (const [index, input] of actions.entries()) {
      if (this.round.error || this.round.terminated) return;
      await this.#take(input, index === actions.length - 1);
    }
  }

  /** Executes what one input of the agent comes to, up to its first failure. */
  async #take(input: ActionInput, last: boolean): Promise<void> {
    const { round } = this;
    const { benchmark } = this.#scene;
    const { actions, failure } = normaliseAction(input, { dialect: benchmark?.dialect ?? 'own' });
    for (const [index, read] of actions.entries()) {
      const action = await this.#inPage(read);
      await this.#execute(action, input, last && index === actions.length - 1);
      if (round.error || round.terminated) return;
    }
    if (failure) {
      round.error = failure;
      keep(this.#scene, round, input, null, { error: failure.message, typed: null, remembered: null });
    }
  }

  /** An action with its coordinates in CSS pixels of the page: an agent's are those of the picture that it is given. */
  async #inPage(read: NormalAction): Promise<NormalAction> {
    const scale = scaleOf(this.#scene);
    const { page } = (await this.#scene.tabs.active()).tab;
    const { width, height } = page.viewportSize() ?? VIEWPORT;
    const seen = this.#screen ? fitScreen(read, this.#screen, { width: width * scale, height: height * scale }) : read;
    return scale === 1 ? seen : rescale(seen, { x: 1 / scale, y: 1 / scale });
  }

  async #execute(action: NormalAction, input: ActionInput, last: boolean): Promise<void> {
    const { round } = this;
    const scene = this.#scene;
    const open = await scene.tabs.active();
    const deed = newDeed(action);
    const started = performance.now();
    let meant = action;
    open.tab.begin();
    try {
      meant = revealed(action, scene.sensitive, open.tab.page.url());
      await act(meant, this.#stage(open), deed);
    } catch (error) {
      await this.#tools.rethrowCrash();
      // A window that its own page closed took the action.
      if (!open.tab.page.isClosed()) round.error = said(await this.#tools.traced(error));
    }
    const acted = performance.now();
    try {
      if (needsSettling(action)) {
        const settled = this.#settle(open);
        // A picture waits for the next frames anyway; after most actions nothing more happens, and then it counts.
        const early = last ? takeEarly(open.tab, scene.limits, scaleOf(scene)) : undefined;
        if ((await settled) && early !== undefined) round.early = early;
      }
    } catch (error) {
      await this.#tools.rethrowCrash();
      round.error ??= said(await this.#tools.traced(error));
    }
    if (open.tab.refused !== null && !round.error) {
      round.error = { code: 'navigation_refused', message: refusal(open.tab.refused.replace(/^.*?: /, '')) };
    }
    round.action += acted - started;
    round.settle += performance.now() - acted;
    const secrets = secretsTyped(meant, deed);
    if (secrets.length > 0) round.secrets = [...(round.secrets ?? []), ...secrets];
    this.#note(action, input, deed);
  }

  /** Keeps what an action did, for the trace and for evaluate functions. */
  #note(action: NormalAction, input: ActionInput, deed: Deed): void {
    const { round } = this;
    const scene = this.#scene;
    round.acted.push(deed.acted);
    if (deed.response !== null) {
      scene.response = deed.response;
      round.response = deed.response;
    }
    round.terminated ||= deed.terminated;
    const { typed, remembered } = deed;
    keep(scene, round, input, action, { error: round.error?.message ?? null, typed, remembered });
  }

  #stage(open: OpenTab): Stage {
    const scene = this.#scene;
    const { tab, elements } = open;
    return {
      tab,
      elements,
      files: scene.files,
      limits: scene.limits,
      recordPage: scene.recordsPages
        ? () => scene.recorder.read(open, scene.benchmark?.scrollBars ?? false, scene.limits.look)
        : null,
      closed: this.#tools.closed,
      openTab: async () => {
        await scene.tabs.create();
      },
      focusTab: (index) => scene.tabs.focus(index),
      closeTab: () => scene.tabs.close(),
    };
  }

  /** Waits for what an action began, in the tab it acted in and in one that it opened. True where nothing changed. */
  async #settle(open: OpenTab): Promise<boolean> {
    const scene = this.#scene;
    const { popup } = open.tab;
    const quiet = !open.tab.page.isClosed() && (await open.tab.settle(scene.limits));
    const now = await scene.tabs.active();
    if (now === open) return quiet;
    const { page } = now.tab;
    // A window begins with an empty document before it goes to its address.
    const goes = popup !== null && popup !== '' && popup !== 'about:blank';
    const timeout = scene.limits.navigation;
    try {
      if (goes && page.url() === 'about:blank')
        await page.waitForURL((url) => url.href !== 'about:blank', { timeout, waitUntil: 'domcontentloaded' });
      else await page.waitForLoadState('domcontentloaded', { timeout });
    } catch (error) {
      if (page.isClosed()) return false;
      await now.tab.stopLoading();
      throw explainNavigation(error, popup ?? page.url(), timeout, false);
    }
    await now.tab.settle(scene.limits);
    return false;
  }
}

/** Actions after which the page may have changed. */
function needsSettling(action: NormalAction): boolean {
  return !['response', 'infeasible', 'screenshot', 'position', 'custom'].includes(action.type);
}

function said(error: unknown): { message: string; code: string } {
  if (error instanceof ActionError) return { message: error.message, code: error.code };
  const text = error instanceof Error ? error.message : String(error);
  return { message: text.split('\n')[0] ?? text, code: 'action_failed' };
}
