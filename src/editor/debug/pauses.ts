import * as vscode from 'vscode';
import type { LiveRun } from '../runs/live-run.ts';

/** Requests after whose success a stopped session continues. */
const RESUME = new Set(['continue', 'next', 'stepIn', 'stepOut', 'stepBack', 'reverseContinue', 'disconnect']);

/** Marks the run of a debug session as paused while the session, or a session of its functions, is stopped. */
export class Pauses implements vscode.Disposable {
  readonly #root: vscode.DebugSession;
  readonly #tracker: vscode.Disposable;
  readonly #stoppedSessions = new Set<string>();
  #run: LiveRun | undefined;

  constructor(root: vscode.DebugSession) {
    this.#root = root;
    this.#tracker = vscode.debug.registerDebugAdapterTrackerFactory('*', {
      createDebugAdapterTracker: (session) =>
        this.#isRoot(session)
          ? {
              onDidSendMessage: (message: AdapterMessage) => this.#receive(session, message),
              onWillStopSession: () => this.#setPaused(session, false),
            }
          : undefined,
    });
  }

  /** The run that the session debugs. */
  follow(run: LiveRun): void {
    this.#run = run;
    this.#stoppedSessions.clear();
  }

  #receive(session: vscode.DebugSession, message: AdapterMessage): void {
    if (message.type === 'event' && message.event === 'stopped') this.#setPaused(session, true);
    const continues = message.type === 'event' ? message.event === 'continued' : RESUME.has(message.command);
    if (continues && (message.type === 'event' || message.success)) this.#setPaused(session, false);
  }

  #setPaused(session: vscode.DebugSession, isStopped: boolean): void {
    if (isStopped) this.#stoppedSessions.add(session.id);
    else this.#stoppedSessions.delete(session.id);
    this.#run?.setPaused(this.#stoppedSessions.size > 0);
  }

  #isRoot(session: vscode.DebugSession): boolean {
    let current: vscode.DebugSession | undefined = session;
    while (current !== undefined && current.id !== this.#root.id) current = current.parentSession;
    return current !== undefined;
  }

  dispose(): void {
    this.#run?.setPaused(false);
    this.#tracker.dispose();
  }
}

type AdapterMessage =
  | { readonly type: 'event'; readonly event: string }
  | { readonly type: 'response'; readonly command: string; readonly success: boolean };
