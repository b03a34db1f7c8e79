import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { patient } from '../../base/patience.ts';
import { DebugError } from '../../debugger/debuggee.ts';
import type { ChildDebugger, ChildEvents } from '../../debugger/host.ts';

/**
 * Milliseconds between one session continuing and another one stopping. VS Code debounces by 200 ms before it focuses
 * the other session, and F5 does nothing while the wrong one has the focus.
 */
const FOCUS_DELAY_MS = 350;
const ATTACH_LIMIT = patient(15_000);

/** A VS Code debugger for one language that can be attached to a session. */
export interface ChildKind<Target> {
  /** The debug type of its sessions. */
  readonly type: string;
  /** For messages. */
  readonly name: string;
  /** Paths of files in the language. */
  readonly files: RegExp;
  configuration(target: Target): Omit<vscode.DebugConfiguration, 'type' | 'request'>;
  /** Whether a session is the one that runs the functions. */
  isTarget(session: vscode.DebugSession, parent: vscode.DebugSession): boolean;
  /** Whether a stop stops the process that controls the page. */
  readonly blocksSession: boolean;
  /** What `completing` needs. Awaited before the debugger is attached. */
  prepare?(): Promise<void>;
  /** An expression to evaluate instead of one with `await`, which would not complete in a stopped process; null for others. */
  completing?(expression: string): string | null;
  /** Whether a file belongs to Taskwright, so that stepping skips it. */
  isOwnFile(path: string, target: Target): boolean;
}

/** A session of another VS Code debugger, as a child of a Taskwright session. */
export class ChildSession<Target extends { readonly taskFile: string | null }>
  implements ChildDebugger<Target>, vscode.Disposable
{
  readonly #parent: vscode.DebugSession;
  readonly #kind: ChildKind<Target>;
  readonly #tracker: vscode.Disposable;
  /** Settles when the debugger is attached and has its breakpoints; null if it is not attached. */
  #attachment: PromiseWithResolvers<void> | null = null;
  #target: Target | null = null;
  #events: ChildEvents | null = null;
  /** Sessions that run functions. */
  readonly #sessions = new Set<vscode.DebugSession>();
  #isPaused = false;
  #continuedAt = 0;

  constructor(parent: vscode.DebugSession, kind: ChildKind<Target>) {
    this.#parent = parent;
    this.#kind = kind;
    this.#tracker = vscode.debug.registerDebugAdapterTrackerFactory(kind.type, {
      createDebugAdapterTracker: (session) => (kind.isTarget(session, parent) ? this.#track(session) : undefined),
    });
  }

  hasBreakpoints(): boolean {
    return vscode.debug.breakpoints.some(
      (one) => one.enabled && one instanceof vscode.SourceBreakpoint && this.#kind.files.test(one.location.uri.path),
    );
  }

  async attach(target: Target, events: ChildEvents): Promise<void> {
    const ready = delay(FOCUS_DELAY_MS);
    await this.#kind.prepare?.();
    this.#events = events;
    this.#target = target;
    this.#attachment ??= this.#start(target);
    try {
      await this.#attachment.promise;
    } catch (error) {
      this.#attachment = null;
      throw error;
    }
    await ready;
  }

  async whenSettled(): Promise<void> {
    const remaining = this.#continuedAt + FOCUS_DELAY_MS - performance.now();
    if (this.#continuedAt > 0 && remaining > 0) await delay(remaining);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  async pause(): Promise<void> {
    for (const session of this.#sessions) {
      const { threads } = (await session.customRequest('threads')) as { threads: readonly { readonly id: number }[] };
      for (const { id } of threads) await session.customRequest('pause', { threadId: id });
    }
  }

  dispose(): void {
    this.#tracker.dispose();
  }

  #start(target: Target): PromiseWithResolvers<void> {
    const { type, name } = this.#kind;
    const attachment = Promise.withResolvers<void>();
    const fail = (text: string): void => attachment.reject(new DebugError(text));
    const configuration: vscode.DebugConfiguration = {
      ...{ type, request: 'attach', name: l10n.t('Functions'), internalConsoleOptions: 'neverOpen' },
      ...this.#kind.configuration(target),
    };
    const options: vscode.DebugSessionOptions = {
      parentSession: this.#parent,
      compact: true,
      lifecycleManagedByParent: true,
      suppressSaveBeforeStart: true,
      consoleMode: vscode.DebugConsoleMode.MergeWithParent,
    };
    const late = setTimeout(() => fail(l10n.t('{0} did not attach in time.', name)), ATTACH_LIMIT);
    // Callers await the promise themselves and handle the error.
    void attachment.promise.catch(() => {}).finally(() => clearTimeout(late));
    vscode.debug.startDebugging(this.#parent.workspaceFolder, configuration, options).then(
      (started) => started || fail(l10n.t('{0} did not start.', name)),
      (error: Error) => fail(error.message),
    );
    return attachment;
  }

  #track(session: vscode.DebugSession): vscode.DebugAdapterTracker {
    this.#sessions.add(session);
    return {
      onWillReceiveMessage: (message: EvaluateRequest) => {
        if (isEdit(message)) this.#events?.edited();
        this.#complete(message);
      },
      onDidSendMessage: (message: DebugMessage) => {
        if (message.type === 'response' && message.command === 'configurationDone') this.#attachment?.resolve();
        if (message.type !== 'event') return;
        if (message.event === 'continued') {
          this.#isPaused = false;
          this.#continuedAt = performance.now();
        }
        if (message.event === 'stopped') void this.#handleStop(session, message.body);
      },
      onExit: () => this.#handleEnd(session),
      onWillStopSession: () => this.#handleEnd(session),
    };
  }

  /** VS Code sends the message as the tracker leaves it. */
  #complete({ command, arguments: request }: EvaluateRequest): void {
    if (command !== 'evaluate' || !this.#isPaused || request?.expression === undefined) return;
    // Hovers must not have side effects.
    if (request.context !== 'repl' && request.context !== 'watch') return;
    request.expression = this.#kind.completing?.(request.expression) ?? request.expression;
  }

  #handleEnd(session: vscode.DebugSession): void {
    this.#sessions.delete(session);
    this.#isPaused = false;
    this.#attachment?.reject(new DebugError(l10n.t('{0} ended.', this.#kind.name)));
    this.#attachment = null;
  }

  /** Continues after the end of a user-defined function, in which there is nothing to stop at. */
  async #handleStop(session: vscode.DebugSession, { reason, threadId }: StoppedBody): Promise<void> {
    this.#isPaused = this.#kind.blocksSession;
    if (reason !== 'step' && reason !== 'pause') return;
    const { stackFrames } = (await session.customRequest('stackTrace', { threadId, levels: 1 })) as {
      stackFrames: readonly { readonly source?: { readonly path?: string } }[];
    };
    const target = this.#target;
    const path = stackFrames[0]?.source?.path;
    const isTask = path !== undefined && basename(path) === basename(target?.taskFile ?? '');
    if (path !== undefined && !isTask && (target === null || !this.#kind.isOwnFile(filePath(path), target))) return;
    this.#events?.steppedOut();
    await session.customRequest('continue', { threadId });
    this.#isPaused = false;
    this.#continuedAt = performance.now();
  }
}

/** Whether a request of VS Code changes a value: in the Variables view, or by an assignment in the debug console. */
function isEdit({ command, arguments: request }: EvaluateRequest): boolean {
  if (command === 'setVariable' || command === 'setExpression') return true;
  const isAssignment = /[^=!<>]=(?![=>])|\+\+|--/.test(request?.expression ?? '');
  return command === 'evaluate' && request?.context === 'repl' && isAssignment;
}

/** The file path for a path that a debugger reports: in a remote window that is a URI. */
export function filePath(path: string): string {
  return /^[\w-]{2,}:\/\//.test(path) ? vscode.Uri.parse(path).fsPath : path;
}

interface StoppedBody {
  readonly reason: string;
  readonly threadId: number;
}

interface EvaluateRequest {
  readonly command?: string;
  readonly arguments?: { expression?: string; readonly context?: string };
}

type DebugMessage =
  | { readonly type: 'response'; readonly command: string }
  | { readonly type: 'event'; readonly event: 'stopped'; readonly body: StoppedBody }
  | { readonly type: 'event'; readonly event: 'continued' };
