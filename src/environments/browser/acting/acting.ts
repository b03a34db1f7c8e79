import type { ActionInput, Screen } from '../../../actions/action.ts';
import type { NormalAction } from '../../../actions/normal.ts';
import { normaliseAction } from '../../../actions/normalise.ts';
import { fitScreen, rescale } from '../../../actions/rescale.ts';
import { describeDialog } from '../../dialog.ts';
import { takeEarlyScreenshot } from '../observing/observe-page.ts';
import { describeRefusal } from '../pages/addresses.ts';
import { type SessionState, scaleOf } from '../pages/session-state.ts';
import type { OpenTab } from '../pages/tabs.ts';
import { act } from './act.ts';
import { type ActionContext, type ActionOutcome, newOutcome } from './action-context.ts';
import { ActionError, explainNavigation } from './failures.ts';
import { revealSecrets, typedSecrets } from './secrets.ts';
import { newTurn, recordAction } from './turn.ts';

/** Functions of the environment that acting needs. */
export interface ActingTools {
  /** Aborted when the environment closes or another task starts. */
  readonly closeSignal: AbortSignal;
  /** Throws if the page or the browser has crashed, which is the cause of other failures. */
  rethrowCrash(): Promise<void>;
  /** Returns the cause of an error if it is known, otherwise the error. */
  findCause(error: unknown): Promise<unknown>;
}

/** Executes the actions of one step. The turn has the result, including the first failure. */
export class Acting {
  readonly turn = newTurn();
  readonly #state: SessionState;
  readonly #screen: Screen | undefined;
  readonly #tools: ActingTools;

  constructor(state: SessionState, screen: Screen | undefined, tools: ActingTools) {
    this.#state = state;
    this.#screen = screen;
    this.#tools = tools;
  }

  async takeAll(actions: readonly ActionInput[]): Promise<void> {
    for (const [index, input] of actions.entries()) {
      if (this.turn.error || this.turn.terminated) return;
      await this.#take(input, index === actions.length - 1);
    }
  }

  /** Executes the actions of one input, up to the first failure. */
  async #take(input: ActionInput, last: boolean): Promise<void> {
    const { turn } = this;
    const { benchmark } = this.#state;
    const { actions, failure } = normaliseAction(input, { dialect: benchmark?.dialect ?? 'own' });
    for (const [index, read] of actions.entries()) {
      const action = await this.#toPagePixels(read);
      await this.#execute(action, input, last && index === actions.length - 1);
      if (turn.error || turn.terminated) return;
    }
    if (failure) {
      turn.error = failure;
      recordAction(this.#state, turn, input, null, { typed: null, elementRecord: null });
    }
  }

  /** Converts the coordinates of an action from pixels of the agent's screenshot to CSS pixels of the page. */
  async #toPagePixels(read: NormalAction): Promise<NormalAction> {
    const scale = scaleOf(this.#state);
    const { width, height } = (await this.#state.tabs.active()).tab.viewport;
    const pageAction = this.#screen
      ? fitScreen(read, this.#screen, { width: width * scale, height: height * scale })
      : read;
    return scale === 1 ? pageAction : rescale(pageAction, { x: 1 / scale, y: 1 / scale });
  }

  async #execute(action: NormalAction, input: ActionInput, last: boolean): Promise<void> {
    const { turn } = this;
    const state = this.#state;
    const { dialogs } = state;
    const open = await state.tabs.active();
    const outcome = newOutcome(action);
    const startTime = performance.now();
    let executable = action;
    open.tab.begin();
    try {
      const dialog = dialogs.current;
      if (dialog !== null && !WITH_DIALOG.has(action.type)) {
        const message = `${describeDialog(dialog)}. First answer it with handle_dialog(True) or handle_dialog(False)`;
        throw new ActionError('dialog_open', message);
      }
      executable = revealSecrets(action, state.sensitive, open.tab.page.url());
      // An action that opens a dialog ends with it.
      await dialogs.unlessOpened(act(executable, this.#context(open, outcome)));
    } catch (error) {
      await this.#tools.rethrowCrash();
      // If the page closed its own window, the action succeeded.
      if (!open.tab.page.isClosed()) turn.error = describeFailure(await this.#tools.findCause(error));
    }
    const actedAt = performance.now();
    try {
      if (needsSettling(action) && dialogs.current === null) {
        const settling = dialogs.unlessOpened(this.#settle(open));
        // A screenshot waits for the next frames anyway. After most actions the page does not change any more, so it
        // can be used.
        const early = last ? takeEarlyScreenshot(open.tab, state.limits, scaleOf(state)) : undefined;
        if ((await settling)?.value === true && early !== undefined) turn.early = early;
      }
    } catch (error) {
      await this.#tools.rethrowCrash();
      turn.error ??= describeFailure(await this.#tools.findCause(error));
    }
    if (open.tab.refusedUrl !== null && !turn.error) {
      turn.error = { code: 'navigation_refused', message: describeRefusal(open.tab.refusedUrl.replace(/^.*?: /, '')) };
    }
    turn.action += actedAt - startTime;
    turn.settle += performance.now() - actedAt;
    const secrets = typedSecrets(executable, outcome);
    if (secrets.length > 0) turn.secrets = [...(turn.secrets ?? []), ...secrets];
    this.#recordOutcome(action, input, outcome);
  }

  /** Records an action for the trace and for evaluate functions. */
  #recordOutcome(action: NormalAction, input: ActionInput, outcome: ActionOutcome): void {
    const { turn } = this;
    const state = this.#state;
    turn.acted.push(outcome.acted);
    if (outcome.response !== null) {
      state.response = outcome.response;
      turn.response = outcome.response;
    }
    turn.terminated ||= outcome.terminated;
    recordAction(state, turn, input, action, outcome);
  }

  #context(open: OpenTab, outcome: ActionOutcome): ActionContext {
    const state = this.#state;
    const { tab, elements } = open;
    return {
      tab,
      elements,
      files: state.files,
      limits: state.limits,
      outcome,
      recordPage: state.recordsPages
        ? () => state.recorder.read(open, state.benchmark?.scrollBars ?? false, state.limits.observe)
        : null,
      closeSignal: this.#tools.closeSignal,
      openTab: async () => {
        await state.tabs.create();
      },
      focusTab: (index) => state.tabs.focus(index),
      closeTab: () => state.tabs.close(),
      answerDialog: (accept, text) => state.dialogs.answer(accept, text),
    };
  }

  /** Waits until the tab of an action, and a tab that it opened, have settled. Resolves to true if nothing changed. */
  async #settle(open: OpenTab): Promise<boolean> {
    const state = this.#state;
    const { popup } = open.tab;
    const quiet = !open.tab.page.isClosed() && (await open.tab.settle(state.limits));
    const now = await state.tabs.active();
    if (now === open) return quiet;
    const { page } = now.tab;
    // A new window has an empty document before it navigates to its URL.
    const goes = popup !== null && popup !== '' && popup !== 'about:blank';
    const timeout = state.limits.navigation;
    try {
      if (goes && page.url() === 'about:blank')
        await page.waitForURL((url) => url.href !== 'about:blank', { timeout, waitUntil: 'domcontentloaded' });
      else await page.waitForLoadState('domcontentloaded', { timeout });
    } catch (error) {
      if (page.isClosed()) return false;
      await now.tab.stopLoading();
      throw explainNavigation(error, popup ?? page.url(), timeout, false);
    }
    await now.tab.settle(state.limits);
    return false;
  }
}

/** Actions that need no page while a dialog is open. */
const WITH_DIALOG: ReadonlySet<NormalAction['type']> = new Set(['handle_dialog', 'response', 'infeasible']);

/** Actions after which the page may have changed. */
function needsSettling(action: NormalAction): boolean {
  return !['response', 'infeasible', 'screenshot', 'position', 'custom'].includes(action.type);
}

function describeFailure(error: unknown): { message: string; code: string } {
  if (error instanceof ActionError) return { message: error.message, code: error.code };
  const text = error instanceof Error ? error.message : String(error);
  return { message: text.split('\n')[0] ?? text, code: 'action_failed' };
}
