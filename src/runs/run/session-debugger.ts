import { basename } from 'node:path';
import type { Json } from '../../base/json.ts';
import type { Phase } from '../../functions/declaration.ts';
import type { PageLink } from '../../functions/page/page-link.ts';
import type { Lease } from '../../placement/placement.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import type { Call } from '../../tasks/task.ts';
import type { Mask } from '../masking/mask.ts';
import type { DebuggedSession, InspectorTarget, PythonConnection, UnresetSession } from './debugging.ts';
import type { RunContext } from './run-context.ts';

/** A session that is open on an environment server. */
export interface OpenSession {
  readonly lease: Lease;
  readonly server: Lease['server'];
  readonly session: string;
}

/** What a debugger does with the session of a run, and what it changes in the run. */
export class SessionDebugger {
  /** A debugger may pause the session in the middle of a call. */
  mayPause = false;
  /** The response that a debugger set for the agent. */
  response: string | undefined;
  /** The files of the task, if a debugger needed them before the reset. */
  providedFiles: Lease['files'] | undefined;
  /** Receives debugpy messages. */
  onPythonMessage: (message: Json) => void = () => {};
  readonly #context: RunContext;
  readonly #requireOpen: () => OpenSession;
  readonly #request: (phase: Phase, call: Call) => Promise<CallOutcome>;

  /** @param requireOpen throws if the session is not open */
  constructor(
    context: RunContext,
    requireOpen: () => OpenSession,
    request: (phase: Phase, call: Call) => Promise<CallOutcome>,
  ) {
    this.#context = context;
    this.#requireOpen = requireOpen;
    this.#request = request;
  }

  /** The session for a debugger before the reset. */
  unreset(): UnresetSession {
    return {
      inspect: async () => this.#inspect(await this.#provideFiles(), true),
      debugPython: async (name, onMessage) => this.#debugPython(await this.#provideFiles(), name, onMessage, true),
    };
  }

  /** The session for a debugger. `folder`: the task's, as the session sees it. */
  toDebugged(folder: string, onResponse: (text: string) => void): DebuggedSession {
    const { mask } = this.#context;
    return {
      runCall: async (phase, call) => maskedOutcome(await this.#request(phase, call), mask),
      queryPage: async (links) => {
        const answer = await this.#queryPage(links);
        return mask?.value(answer) ?? answer;
      },
      inspect: () => this.#inspect(folder),
      debugPython: (name, onMessage) => this.#debugPython(folder, name, onMessage),
      setResponse: (text) => {
        this.response = text;
        onResponse(text);
      },
    };
  }

  async #queryPage(links: readonly PageLink[]): Promise<Json> {
    const { server, session } = this.#requireOpen();
    return (await server.request('session.query', { session, links: [...links] }, this.#context.clock.abort)).answer;
  }

  /** Returns the folder of the task, as the session sees it. */
  async #provideFiles(): Promise<string> {
    const { lease, server, session } = this.#requireOpen();
    const { files } = lease;
    const { folder } = await server.request('session.provideFiles', { session, files }, this.#context.clock.abort);
    this.providedFiles = 'folder' in files ? files : { folder };
    return folder;
  }

  async #inspect(folder: string, isBeforeReset = false): Promise<InspectorTarget> {
    const { server, session } = this.#requireOpen();
    const request = { session, file: basename(this.#context.plan.task.file), ...(isBeforeReset ? { folder } : {}) };
    const { port } = await server.request('session.inspect', request, this.#context.clock.abort);
    this.mayPause = true;
    return { port: await server.reach(port), folder };
  }

  async #debugPython(
    folder: string,
    name: string | null,
    onMessage: (message: Json) => void,
    isBeforeReset = false,
  ): Promise<PythonConnection> {
    const { server, session } = this.#requireOpen();
    this.onPythonMessage = onMessage;
    const file = basename(this.#context.plan.task.file);
    const request = { session, file, function: name, ...(isBeforeReset ? { folder } : {}) };
    const connection = await server.request('session.debugPython', request, this.#context.clock.abort);
    this.mayPause = true;
    const send = async (message: Json): Promise<void> => {
      await server.request('session.toPython', { session, message });
    };
    return { folder, ...connection, send, queryPage: (links) => this.#queryPage(links) };
  }
}

/** The outcome with secrets masked and without the observation, which the trace has in masked form. */
export function maskedOutcome(outcome: CallOutcome, mask: Mask | null): CallOutcome {
  if (mask === null) return outcome;
  if ('error' in outcome) return { ...outcome, error: mask.value(outcome.error) };
  return { ...outcome, reason: mask.text(outcome.reason), step: null };
}
