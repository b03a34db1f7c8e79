import * as vscode from 'vscode';
import * as z from 'zod';
import type { Json } from '../../tasks/task.ts';
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
const breakpointsSchema = z.looseObject({
  source: z.looseObject({ path: z.string().optional() }),
  breakpoints: z.array(z.looseObject({ line: z.number() })).optional(),
});

/**
 * What debugpy offers that has no sense here: its process is not the editor's to end, actions are no functions, what a
 * function throws is the task's matter, whose filters would be hidden by these, and stacks are short.
 */
const WITHHELD = [
  'supportsFunctionBreakpoints',
  'exceptionBreakpointFilters',
  'supportsDelayedStackTraceLoading',
  'supportsExceptionOptions',
  'supportsTerminateRequest',
  'supportTerminateDebuggee',
];
/** Our own requests have numbers above those of the editor's. */
const OWN_REQUESTS = 1_000_000_000;

/** Where debugpy is to stop once. */
export interface EntryPoint {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Between VS Code and debugpy in a session's Python: what either says in the Debug Adapter Protocol is passed on. */
export class PythonAdapter implements vscode.DebugAdapter {
  readonly #messages = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
  readonly onDidSendMessage = this.#messages.event;
  readonly #taskFile: string;
  readonly #toPython: (message: Json) => Promise<void>;
  /** What the editor asked for, by the path of the file. */
  readonly #breakpoints = new Map<string, z.infer<typeof breakpointsSchema>>();
  /** Our own requests that are not answered yet. */
  readonly #answers = new Map<number, () => void>();
  /** The editor's. */
  readonly #asked = new Map<number, Request>();
  #entry: EntryPoint | null = null;
  #ready = false;
  #seq = OWN_REQUESTS;
  #ended = false;

  constructor(taskFile: string, toPython: (message: Json) => Promise<void>) {
    this.#taskFile = taskFile;
    this.#toPython = toPython;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Stops there when it is come to, once, as a breakpoint would; null: nowhere. */
  async stopAt(entry: EntryPoint | null): Promise<void> {
    const last = this.#entry;
    this.#entry = entry;
    if (!this.#ready) return;
    if (last !== null && last.file !== entry?.file) await this.#setBreakpoints(last.file);
    if (entry !== null) await this.#setBreakpoints(entry.file);
  }

  handleMessage(message: vscode.DebugProtocolMessage): void {
    const request = requestSchema.parse(message);
    this.#asked.set(request.seq, request);
    if (this.#ended) this.#answerGone();
    else void this.#handle(request);
  }

  /** What debugpy says; null: it is there no more. */
  hear(said: Json): void {
    if (said === null) {
      this.#end();
      return;
    }
    const message = messageSchema.parse(said);
    const own = this.#answers.get(message.request_seq ?? 0);
    if (own !== undefined) {
      this.#answers.delete(message.request_seq ?? 0);
      own();
      return;
    }
    this.#asked.delete(message.request_seq ?? 0);
    if (message.command === 'initialize' && message.body !== undefined) {
      for (const capability of WITHHELD) delete message.body[capability];
    }
    // Advice on a setting that is not there, where a step came by what is ours.
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
        const asked = breakpointsSchema.parse(request.arguments);
        const path = filePath(asked.source.path ?? '');
        if (!path.endsWith('.py') || path === this.#taskFile) {
          const breakpoints = (asked.breakpoints ?? []).map(() => ({ verified: false }));
          this.#answer(request, true, { breakpoints });
          return;
        }
        this.#breakpoints.set(path, asked);
        await this.#send(request);
        if (this.#ready && this.#entry?.file === path) await this.#setBreakpoints(path);
        return;
      }
      case 'configurationDone':
        this.#ready = true;
        if (this.#entry !== null) await this.#setBreakpoints(this.#entry.file);
        await this.#send(request);
        return;
      default:
        await this.#send(request);
    }
  }

  /** Those of the editor, and where it is to stop once. */
  #merged(path: string): z.infer<typeof breakpointsSchema> {
    const asked = this.#breakpoints.get(path) ?? { source: { path }, breakpoints: [] };
    const entry = this.#entry;
    if (entry?.file !== path) return asked;
    // Conditions of a breakpoint on the same line do not hold it up.
    const others = (asked.breakpoints ?? []).filter(({ line }) => line !== entry.line);
    return { ...asked, breakpoints: [...others, { line: entry.line }] };
  }

  /** Resolves when debugpy has them. */
  async #setBreakpoints(path: string): Promise<void> {
    const seq = ++this.#seq;
    const answered = new Promise<void>((resolve) => this.#answers.set(seq, resolve));
    await this.#send({ seq, type: 'request', command: 'setBreakpoints', arguments: this.#merged(path) });
    await answered;
  }

  async #send(message: object): Promise<void> {
    try {
      await this.#toPython(message as Json);
    } catch {
      // The session has gone, which its run says.
      this.#end();
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const answered of this.#answers.values()) answered();
    this.#answers.clear();
    this.#answerGone();
    this.#fire({ type: 'event', event: 'terminated' });
  }

  /** Nobody else answers what the editor has asked. */
  #answerGone(): void {
    for (const request of this.#asked.values()) this.#answer(request, request.command === 'disconnect');
  }

  #answer({ seq, command }: Request, success: boolean, body: object = {}): void {
    this.#asked.delete(seq);
    const message = success ? {} : { message: 'Python is not debugged any more.' };
    this.#fire({ type: 'response', request_seq: seq, command, success, ...message, body });
  }

  #fire(message: object): void {
    this.#messages.fire({ seq: 0, ...message } as vscode.DebugProtocolMessage);
  }
}
