import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { DebugError } from '../../debugger/debuggee.ts';
import type { ChildDebugger } from '../../debugger/host.ts';

/**
 * VS Code's window takes 200 ms to see that a session goes on before it turns to another one that stops, in ms, counted
 * from when it hears of it, on a busy machine a while after this process; nothing else says which session has its
 * attention, and while it is the wrong one F5 does nothing.
 */
const LETTING_GO = 350;
const ATTACH_LIMIT = 15_000;

/** A debugger of one language, as it is attached in VS Code. */
export interface ChildKind<StopLocation> {
  /** The debug type of its sessions. */
  readonly type: string;
  /** For messages. */
  readonly name: string;
  /** Paths of files in the language. */
  readonly files: RegExp;
  configuration(place: StopLocation): Omit<vscode.DebugConfiguration, 'type' | 'request'>;
  /** Whether it is the session in which the functions run. */
  isTarget(session: vscode.DebugSession, parent: vscode.DebugSession): boolean;
  /** Whether a file is ours, and not to be stopped in. */
  isOurs(path: string, place: StopLocation): boolean;
}

/** Another debugger of VS Code's, as a child of one of our sessions. */
export class ChildSession<StopLocation extends { readonly taskFile: string }>
  implements ChildDebugger<StopLocation>, vscode.Disposable
{
  readonly #parent: vscode.DebugSession;
  readonly #kind: ChildKind<StopLocation>;
  readonly #tracker: vscode.Disposable;
  /** Settles when it is attached with its breakpoints; null where it is not. */
  #attached: PromiseWithResolvers<void> | null = null;
  #place: StopLocation | null = null;
  #left: () => void = () => {};
  #wentOn = 0;

  constructor(parent: vscode.DebugSession, kind: ChildKind<StopLocation>) {
    this.#parent = parent;
    this.#kind = kind;
    this.#tracker = vscode.debug.registerDebugAdapterTrackerFactory(kind.type, {
      createDebugAdapterTracker: (session) => (kind.isTarget(session, parent) ? this.#track(session) : undefined),
    });
  }

  wanted(): boolean {
    return vscode.debug.breakpoints.some(
      (one) => one.enabled && one instanceof vscode.SourceBreakpoint && this.#kind.files.test(one.location.uri.path),
    );
  }

  async attach(place: StopLocation, left: () => void): Promise<void> {
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

  #start(place: StopLocation): PromiseWithResolvers<void> {
    const { type, name } = this.#kind;
    const attached = Promise.withResolvers<void>();
    const fail = (why: string): void => attached.reject(new DebugError(why));
    const configuration: vscode.DebugConfiguration = {
      ...{ type, request: 'attach', name: 'Functions', internalConsoleOptions: 'neverOpen' },
      ...this.#kind.configuration(place),
    };
    const options: vscode.DebugSessionOptions = {
      parentSession: this.#parent,
      compact: true,
      lifecycleManagedByParent: true,
      suppressSaveBeforeStart: true,
      consoleMode: vscode.DebugConsoleMode.MergeWithParent,
    };
    const late = setTimeout(() => fail(`${name} did not attach in time`), ATTACH_LIMIT);
    // Whoever waits for it is told why it failed.
    void attached.promise.catch(() => {}).finally(() => clearTimeout(late));
    vscode.debug.startDebugging(this.#parent.workspaceFolder, configuration, options).then(
      (started) => started || fail(`${name} did not start`),
      (error: Error) => fail(error.message),
    );
    return attached;
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
    this.#attached?.reject(new DebugError(`${this.#kind.name} has ended`));
    this.#attached = null;
  }

  /** Beyond the end of the person's function there is nothing to stop at: the call is over. */
  async #stopped(session: vscode.DebugSession, { reason, threadId }: StoppedBody): Promise<void> {
    if (reason !== 'step' && reason !== 'pause') return;
    const { stackFrames } = (await session.customRequest('stackTrace', { threadId, levels: 1 })) as {
      stackFrames: readonly { readonly source?: { readonly path?: string } }[];
    };
    const place = this.#place;
    const path = stackFrames[0]?.source?.path;
    const isTask = path !== undefined && basename(path) === basename(place?.taskFile ?? '');
    if (path !== undefined && !isTask && (place === null || !this.#kind.isOurs(filePath(path), place))) return;
    this.#left();
    await session.customRequest('continue', { threadId });
    this.#wentOn = performance.now();
  }
}

/** A path as a debugger says it: in a remote window it is an address. */
export function filePath(path: string): string {
  return /^[\w-]{2,}:\/\//.test(path) ? vscode.Uri.parse(path).fsPath : path;
}

interface StoppedBody {
  readonly reason: string;
  readonly threadId: number;
}

type DebugMessage =
  | { readonly type: 'response'; readonly command: string }
  | { readonly type: 'event'; readonly event: 'stopped'; readonly body: StoppedBody }
  | { readonly type: 'event'; readonly event: 'continued' };
