import type { EventEmitter } from 'node:events';
import type { BrowserContext, Dialog, Page } from 'playwright-core';
import { withTimeout } from '../../../base/timeout.ts';
import { type DialogAnswers, dialogAnswersIn } from '../../../tasks/dialog-answers.ts';
import type { Task } from '../../../tasks/task.ts';
import type { OpenDialog } from '../../environment.ts';
import { isBrowserGym } from '../browsergym/browsergym.ts';
import type { Messages } from '../observing/messages.ts';
import type { Tab } from './tab.ts';

/** How long a listener of a user-defined function has to answer a dialog, in ms, before it is answered as if there were none. */
const LISTENER_MS = 1000;
const MAX_MESSAGE = 2000;

/** `default`: an alert is accepted, `confirm` and `prompt` are dismissed. */
type Answering = DialogAnswers | 'default';

function answeringOf({ env, metadata }: Pick<Task, 'env' | 'metadata'>): Answering {
  const answers = dialogAnswersIn(metadata);
  if (!isBrowserGym(env)) return answers ?? 'ask';
  return answers === undefined || answers === 'ask' ? 'default' : answers;
}

/**
 * The dialogs of a context's pages. Those that the agent is to answer stay open, and block their page: whatever waits for the page
 * must be passed to `unlessOpened`. All others are answered at once.
 */
export class Dialogs {
  readonly #context: BrowserContext;
  readonly #messages: Messages;
  readonly #limitMs: number;
  #answering: Answering = 'default';
  /** Whether an agent can answer. */
  #attended = false;
  /** The dialogs that wait for the agent, the oldest first. */
  readonly #open = new Set<Dialog>();
  /** The dialogs that a listener of a user-defined function may answer, with the time limit of each. */
  readonly #left = new Map<Dialog, NodeJS.Timeout>();
  readonly #tabs = new WeakMap<Page, Tab>();
  /** Called when a dialog opens that waits for the agent. */
  readonly #interrupts = new Set<() => void>();
  /** Settles with all work that a dialog has interrupted. */
  #interruptedWork: Promise<unknown> = Promise.resolve();

  /** @param limitMs how long work that a dialog has interrupted may take when it is answered */
  constructor(context: BrowserContext, messages: Messages, limitMs: number) {
    this.#context = context;
    this.#messages = messages;
    this.#limitMs = limitMs;
    context.on('dialog', (dialog) => this.#receive(dialog));
    context.on('dialogclosed', (dialog) => this.#forget(dialog));
  }

  /** The dialog that waits for the agent's answer; null if there is none. */
  get current(): OpenDialog | null {
    const dialog = this.#first();
    if (dialog === null) return null;
    const text = dialog.defaultValue();
    return {
      type: dialog.type() === 'prompt' ? 'prompt' : 'confirm',
      message: shorten(dialog.message()),
      ...(text === '' ? {} : { default_value: shorten(text) }),
    };
  }

  /** Called when a tab can be read. Dialogs of other pages cannot wait. */
  add(tab: Tab): void {
    this.#tabs.set(tab.page, tab);
  }

  /** Called when the task has started: from now on, its agent can answer. */
  attend(task: Pick<Task, 'env' | 'metadata'>): void {
    this.#answering = answeringOf(task);
    this.#attended = true;
  }

  /** Dismisses open dialogs, and waits for what they had interrupted. Until the returned function is called, no agent can answer. */
  async leave(): Promise<() => void> {
    const wasAttended = this.#attended;
    this.#attended = false;
    const dialogs = [...this.#open];
    await Promise.all(dialogs.map((dialog) => this.#answer(dialog, false)));
    if (dialogs.length > 0) await this.#resume();
    return () => {
      this.#attended = wasAttended;
    };
  }

  /**
   * Answers the dialog that waits for the agent, and waits for what it had interrupted. `text`: the answer to a prompt; null for the
   * text in its field. Resolves to false if no dialog is open.
   */
  async answer(accept: boolean, text: string | null): Promise<boolean> {
    const dialog = this.#first();
    if (dialog === null || !(await this.#answer(dialog, accept, text))) return false;
    await this.#resume();
    return true;
  }

  /** Waits for the work that a dialog had interrupted, unless another dialog opens. */
  async #resume(): Promise<void> {
    const work = this.#interruptedWork;
    this.#interruptedWork = Promise.resolve();
    await this.unlessOpened(withTimeout(this.#limitMs, work));
  }

  /**
   * Resolves with the value of some work, or with null as soon as a dialog opens that waits for the agent. The work goes on when the
   * dialog is closed.
   */
  async unlessOpened<T>(work: Promise<T>): Promise<{ readonly value: T } | null> {
    const outcome = work.then((value) => ({ value }));
    // A promise of its own: one for all work would keep the values of all work in memory.
    const opening = Promise.withResolvers<null>();
    const interrupt = (): void => opening.resolve(null);
    this.#interrupts.add(interrupt);
    try {
      const first = await Promise.race([outcome, opening.promise]);
      if (first === null) this.#interruptedWork = Promise.allSettled([this.#interruptedWork, outcome]);
      return first;
    } finally {
      this.#interrupts.delete(interrupt);
    }
  }

  #first(): Dialog | null {
    for (const dialog of this.#open) {
      if (dialog.page()?.isClosed() !== true) return dialog;
      this.#open.delete(dialog);
    }
    return null;
  }

  #receive(dialog: Dialog): void {
    if (!this.#hasListener(dialog.page())) {
      this.#decide(dialog);
      return;
    }
    const timer = setTimeout(() => {
      this.#left.delete(dialog);
      this.#decide(dialog);
    }, LISTENER_MS);
    this.#left.set(dialog, timer);
  }

  /** Whether a user-defined function listens to the dialogs of a page. */
  #hasListener(page: Page | null): boolean {
    const count = (emitter: BrowserContext | Page): number =>
      (emitter as unknown as EventEmitter).listenerCount('dialog');
    return count(this.#context) > 1 || (page !== null && count(page) > 0);
  }

  #decide(dialog: Dialog): void {
    const accept = this.#answerTo(dialog);
    if (accept !== null) {
      void this.#answer(dialog, accept);
      return;
    }
    this.#open.add(dialog);
    for (const interrupt of this.#interrupts) interrupt();
  }

  /** Whether to accept a dialog; null if it waits for the agent. */
  #answerTo(dialog: Dialog): boolean | null {
    const type = dialog.type();
    // A page may not prevent leaving it.
    if (type === 'beforeunload') return true;
    if (this.#answering === 'accept' || this.#answering === 'dismiss') return this.#answering === 'accept';
    if (type === 'alert') return true;
    const page = dialog.page();
    const tab = page === null ? undefined : this.#tabs.get(page);
    const asks = this.#answering === 'ask' && this.#attended && tab !== undefined && !tab.isOpeningDocument;
    return asks ? null : false;
  }

  /** Resolves to false if the dialog was closed already. */
  async #answer(dialog: Dialog, accept: boolean, text: string | null = null): Promise<boolean> {
    this.#open.delete(dialog);
    this.#report(dialog, accept ? 'accepted' : 'dismissed');
    try {
      if (accept) await dialog.accept(text ?? dialog.defaultValue());
      else await dialog.dismiss();
    } catch {
      // Its page was closed, or another program has answered it.
      return false;
    }
    return true;
  }

  /** Called when a dialog was closed, whoever has closed it. */
  #forget(dialog: Dialog): void {
    this.#open.delete(dialog);
    const timer = this.#left.get(dialog);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#left.delete(dialog);
    this.#report(dialog, 'answered by a function of the task');
  }

  #report(dialog: Dialog, what: string): void {
    this.#messages.add('dialog', `${dialog.type()} “${dialog.message()}” was ${what}`, dialog.page()?.url());
  }
}

function shorten(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text;
}
