import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Json } from '../../base/json.ts';
import { pageQueryIn } from '../../debugger/python-page-query.ts';
import type { PageLink } from '../../functions/page/page-link.ts';
import type { PythonConnection } from '../../runs/run/debugging.ts';
import { writePython } from '../../tasks/formats/python/writer.ts';
import { filePath } from './child-debugger.ts';

const messageSchema = z.looseObject({
  type: z.string(),
  command: z.string().optional(),
  event: z.string().optional(),
  request_seq: z.number().optional(),
  body: z.looseObject({}).optional(),
});
const requestSchema = z.looseObject({
  seq: z.number(),
  type: z.literal('request'),
  command: z.string(),
  arguments: z.looseObject({}).optional(),
});
type Request = z.infer<typeof requestSchema>;
/** Hovers evaluate only names. */
const evaluateSchema = z.looseObject({ expression: z.string(), context: z.enum(['repl', 'watch']) });
const breakpointsSchema = z.looseObject({
  source: z.looseObject({ path: z.string().optional() }),
  breakpoints: z.array(z.looseObject({ line: z.number() })).optional(),
});

/**
 * Capabilities of debugpy that do not apply: VS Code must not end its process, its exception filters would hide those of
 * the task session, and stacks are short.
 */
const REMOVED_CAPABILITIES = [
  'supportsFunctionBreakpoints',
  'exceptionBreakpointFilters',
  'supportsDelayedStackTraceLoading',
  'supportsExceptionOptions',
  'supportsTerminateRequest',
  'supportTerminateDebuggee',
];
/** The adapter's own requests have sequence numbers above those of VS Code. */
const FIRST_SEQ = 1_000_000_000;

/** A location at which debugpy stops once. */
export interface EntryPoint {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Passes Debug Adapter Protocol messages between VS Code and debugpy in the Python process of a session. */
export class PythonAdapter implements vscode.DebugAdapter {
  readonly #messages = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
  readonly onDidSendMessage = this.#messages.event;
  readonly #taskFile: string | null;
  readonly #toPython: (message: Json) => Promise<void>;
  readonly #queryPage: PythonConnection['queryPage'];
  /** The breakpoints that VS Code requested, by file path. */
  readonly #breakpoints = new Map<string, z.infer<typeof breakpointsSchema>>();
  /** The adapter's own pending requests. */
  readonly #answers = new Map<number, () => void>();
  /** VS Code's pending requests. */
  readonly #pending = new Map<number, Request>();
  #entry: EntryPoint | null = null;
  #ready = false;
  #seq = FIRST_SEQ;
  #ended = false;

  constructor(taskFile: string | null, { send, queryPage }: Pick<PythonConnection, 'send' | 'queryPage'>) {
    this.#taskFile = taskFile;
    this.#toPython = send;
    this.#queryPage = queryPage;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Sets the one-time breakpoint; null removes it. */
  async stopAt(entry: EntryPoint | null): Promise<void> {
    const last = this.#entry;
    this.#entry = entry;
    if (!this.#ready) return;
    if (last !== null && last.file !== entry?.file) await this.#setBreakpoints(last.file);
    if (entry !== null) await this.#setBreakpoints(entry.file);
  }

  handleMessage(message: vscode.DebugProtocolMessage): void {
    const request = requestSchema.parse(message);
    this.#pending.set(request.seq, request);
    if (this.#ended) this.#rejectPending();
    else void this.#handle(request);
  }

  /** Receives a message of debugpy; null means that debugpy has ended. */
  receive(json: Json): void {
    if (json === null) {
      this.#end();
      return;
    }
    const message = messageSchema.parse(json);
    const resolveOwnRequest = this.#answers.get(message.request_seq ?? 0);
    if (resolveOwnRequest !== undefined) {
      this.#answers.delete(message.request_seq ?? 0);
      resolveOwnRequest();
      return;
    }
    this.#pending.delete(message.request_seq ?? 0);
    if (message.command === 'initialize' && message.body !== undefined) {
      for (const capability of REMOVED_CAPABILITIES) delete message.body[capability];
    }
    // debugpy recommends a setting that does not exist here when a step skips Taskwright's files.
    if (message.event === 'output' && message.body?.['category'] === 'important') return;
    if (message.event === 'stopped' && this.#entry !== null) {
      message.body = { ...message.body, reason: 'step', hitBreakpointIds: [] };
      void this.stopAt(null);
    }
    this.#messages.fire(message);
  }

  dispose(): void {
    this.#end();
    this.#messages.dispose();
  }

  async #handle(request: Request): Promise<void> {
    switch (request.command) {
      case 'setBreakpoints': {
        const requestedBreakpoints = breakpointsSchema.parse(request.arguments);
        const path = filePath(requestedBreakpoints.source.path ?? '');
        if (!path.endsWith('.py') || path === this.#taskFile) {
          const breakpoints = (requestedBreakpoints.breakpoints ?? []).map(() => ({ verified: false }));
          this.#answer(request, true, { breakpoints });
          return;
        }
        this.#breakpoints.set(path, requestedBreakpoints);
        await this.#send(request);
        if (this.#ready && this.#entry?.file === path) await this.#setBreakpoints(path);
        return;
      }
      case 'configurationDone':
        this.#ready = true;
        if (this.#entry !== null) await this.#setBreakpoints(this.#entry.file);
        await this.#send(request);
        return;
      case 'evaluate': {
        const evaluation = evaluateSchema.safeParse(request.arguments).data;
        const query = evaluation === undefined ? null : pageQueryIn(evaluation.expression);
        if (query === null || this.#queryPage === undefined) await this.#send(request);
        else await this.#answerQuery(request, query, this.#queryPage);
        return;
      }
      default:
        await this.#send(request);
    }
  }

  /** Python cannot read from the page itself while it is stopped. */
  async #answerQuery(
    request: Request,
    query: readonly PageLink[],
    ask: NonNullable<PythonConnection['queryPage']>,
  ): Promise<void> {
    try {
      this.#answer(request, true, { result: writePython(await ask(query)), variablesReference: 0 });
    } catch (error) {
      this.#answer(request, false, {}, (error as Error).message);
    }
  }

  /** VS Code's breakpoints of a file and the one-time breakpoint. */
  #mergeBreakpoints(path: string): z.infer<typeof breakpointsSchema> {
    const requestedBreakpoints = this.#breakpoints.get(path) ?? { source: { path }, breakpoints: [] };
    const entry = this.#entry;
    if (entry?.file !== path) return requestedBreakpoints;
    // A conditional breakpoint on the same line must not prevent the stop.
    const otherBreakpoints = (requestedBreakpoints.breakpoints ?? []).filter(({ line }) => line !== entry.line);
    return { ...requestedBreakpoints, breakpoints: [...otherBreakpoints, { line: entry.line }] };
  }

  /** Resolves when debugpy has confirmed the breakpoints. */
  async #setBreakpoints(path: string): Promise<void> {
    const seq = ++this.#seq;
    const confirmation = new Promise<void>((resolve) => this.#answers.set(seq, resolve));
    await this.#send({ seq, type: 'request', command: 'setBreakpoints', arguments: this.#mergeBreakpoints(path) });
    await confirmation;
  }

  async #send(message: object): Promise<void> {
    try {
      await this.#toPython(message as Json);
    } catch {
      // The session has ended; its run reports that.
      this.#end();
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const resolveRequest of this.#answers.values()) resolveRequest();
    this.#answers.clear();
    this.#rejectPending();
    this.#fire({ type: 'event', event: 'terminated' });
  }

  /** VS Code waits for a response to each request. */
  #rejectPending(): void {
    for (const request of this.#pending.values()) this.#answer(request, request.command === 'disconnect');
  }

  #answer(
    { seq, command }: Request,
    success: boolean,
    body: object = {},
    failure = l10n.t('Debugging of Python functions has ended.'),
  ): void {
    this.#pending.delete(seq);
    const message = success ? {} : { message: failure };
    this.#fire({ type: 'response', request_seq: seq, command, success, ...message, body });
  }

  #fire(message: object): void {
    this.#messages.fire({ seq: 0, ...message } as vscode.DebugProtocolMessage);
  }
}
