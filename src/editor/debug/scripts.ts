import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { DebugError } from '../../debugger/debuggee.ts';
import type { ScriptDebugger, ScriptPlace } from '../../debugger/host.ts';

/** The debugger of JavaScript that comes with VS Code. */
const TYPE = 'pwa-node';
/**
 * VS Code's window takes 200 ms to see that a session goes on before it turns to another one that stops, in ms, counted
 * from when it hears of it, on a busy machine a while after this process; nothing else says which session has its
 * attention, and while it is the wrong one F5 does nothing.
 */
const LETTING_GO = 350;
const ATTACH_LIMIT = 15_000;
const NODE_INTERNALS = '<node_internals>';

/** VS Code's debugger of JavaScript, as a child of one of our sessions. */
export class ChildDebugger implements ScriptDebugger, vscode.Disposable {
  readonly #parent: vscode.DebugSession;
  /** What is ours, and not to be stopped in. */
  readonly #programs: string;
  readonly #tracker: vscode.Disposable;
  /** Settles when it is attached with its breakpoints; null where it is not. */
  #attached: PromiseWithResolvers<void> | null = null;
  #place: ScriptPlace | null = null;
  #left: () => void = () => {};
  #wentOn = 0;

  constructor(parent: vscode.DebugSession, programs: string) {
    this.#parent = parent;
    this.#programs = programs;
    this.#tracker = vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
      createDebugAdapterTracker: (session) => (this.#isTarget(session) ? this.#track(session) : undefined),
    });
  }

  wanted(): boolean {
    return vscode.debug.breakpoints.some(
      (one) => one.enabled && one instanceof vscode.SourceBreakpoint && /\.[cm]?[jt]s$/.test(one.location.uri.path),
    );
  }

  async attach(place: ScriptPlace, left: () => void): Promise<void> {
    const ready = delay(LETTING_GO);
    this.#left = left;
    this.#place = place;
    this.#attached ??= this.#start(place);
    try {
      await this.#attached.promise;
    } catch (error) {
      this.#attached = null;
      throw error;
    }
    await ready;
  }

  async settled(): Promise<void> {
    const rest = this.#wentOn + LETTING_GO - performance.now();
    if (this.#wentOn > 0 && rest > 0) await delay(rest);
  }

  dispose(): void {
    this.#tracker.dispose();
  }

  #start({ port, folder, taskFile }: ScriptPlace): PromiseWithResolvers<void> {
    const attached = Promise.withResolvers<void>();
    const fail = (why: string): void => attached.reject(new DebugError(why));
    const configuration: vscode.DebugConfiguration = {
      ...{ type: TYPE, request: 'attach', name: 'Functions', address: '127.0.0.1', port },
      ...{ localRoot: dirname(taskFile), remoteRoot: folder },
      skipFiles: [`${NODE_INTERNALS}/**`, `${this.#programs}/**`, '/opt/taskwright/dist/**'],
      ...{ smartStep: false, sourceMaps: false, restart: false, autoAttachChildProcesses: false },
      internalConsoleOptions: 'neverOpen',
    };
    const options: vscode.DebugSessionOptions = {
      parentSession: this.#parent,
      compact: true,
      lifecycleManagedByParent: true,
      suppressSaveBeforeStart: true,
      consoleMode: vscode.DebugConsoleMode.MergeWithParent,
    };
    const late = setTimeout(() => fail('the JavaScript debugger of VS Code did not attach in time'), ATTACH_LIMIT);
    // Whoever waits for it is told why it failed.
    void attached.promise.catch(() => {}).finally(() => clearTimeout(late));
    vscode.debug.startDebugging(this.#parent.workspaceFolder, configuration, options).then(
      (started) => started || fail('the JavaScript debugger of VS Code did not start'),
      (error: Error) => fail(error.message),
    );
    return attached;
  }

  /** js-debug makes a session for the port, and in it one for what runs there. */
  #isTarget({ parentSession }: vscode.DebugSession): boolean {
    return parentSession?.type === TYPE && parentSession.parentSession?.id === this.#parent.id;
  }

  #track(session: vscode.DebugSession): vscode.DebugAdapterTracker {
    return {
      onDidSendMessage: (message: DebugMessage) => {
        if (message.type === 'response' && message.command === 'configurationDone') this.#attached?.resolve();
        if (message.type !== 'event') return;
        if (message.event === 'continued') this.#wentOn = performance.now();
        if (message.event === 'stopped') void this.#stopped(session, message.body);
      },
      onExit: () => this.#gone(),
      onWillStopSession: () => this.#gone(),
    };
  }

  #gone(): void {
    this.#attached?.reject(new DebugError('the JavaScript debugger of VS Code has ended'));
    this.#attached = null;
  }

  /** Beyond the end of the person's function there is nothing to stop at: the call is over. */
  async #stopped(session: vscode.DebugSession, { reason, threadId }: StoppedBody): Promise<void> {
    if (reason !== 'step' && reason !== 'pause') return;
    const { stackFrames } = (await session.customRequest('stackTrace', { threadId, levels: 1 })) as {
      stackFrames: readonly { readonly source?: { readonly path?: string; readonly name?: string } }[];
    };
    if (!this.#isOurs(stackFrames[0]?.source)) return;
    this.#left();
    await session.customRequest('continue', { threadId });
    this.#wentOn = performance.now();
  }

  #isOurs(source: { readonly path?: string; readonly name?: string } | undefined): boolean {
    const path = source?.path;
    if (path === undefined || path.includes(NODE_INTERNALS)) return true;
    // In a remote window it is an address.
    const file = /^[\w-]{2,}:\/\//.test(path) ? vscode.Uri.parse(path).fsPath : path;
    return basename(file) === basename(this.#place?.taskFile ?? '') || file.startsWith(this.#programs);
  }
}

interface StoppedBody {
  readonly reason: string;
  readonly threadId: number;
}

type DebugMessage =
  | { readonly type: 'response'; readonly command: string }
  | { readonly type: 'event'; readonly event: 'stopped'; readonly body: StoppedBody }
  | { readonly type: 'event'; readonly event: 'continued' };
