import type { ActionInput } from '../../actions/action.ts';
import type { Phase } from '../../functions/declaration.ts';
import type { PageLink } from '../../functions/page/questions.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import type { Call, Json } from '../../tasks/task.ts';
import type { Grade, RunError, Step } from '../store/trace.ts';

/** A setup or evaluate call of the task that is being run. */
export interface RunningCall {
  readonly phase: Phase;
  /** Its place among the calls of its phase. */
  readonly index: number;
  readonly call: Call;
}

/** The session of a run, for whoever holds the run up: nothing that is asked here is recorded. */
export interface DebuggedSession {
  /** Carries out a call of the debugger's own. Rejects where the session has gone. */
  runCall(phase: Phase, call: Call): Promise<CallOutcome>;
  /**
   * Opens the session's process to a debugger of JavaScript. From here on no call has a time limit, and while one goes on
   * the run's does not count. Rejects where the session has gone.
   */
  inspect(): Promise<Inspected>;
  /**
   * The same for the session's Python, for a function in it. `listen` hears what its debugger says, as the Debug Adapter
   * Protocol has it, and null when it is there no more. Rejects with words that go on from the function's name.
   */
  debugPython(name: string, listen: (message: Json) => void): Promise<DebuggedPython>;
  /** Asks the page something that changes nothing of it. Rejects where it cannot be asked, with words. */
  queryPage(links: readonly PageLink[]): Promise<Json>;
  /** Puts a text in place of the agent's response, for every evaluate call from here on. */
  setResponse(text: string): void;
}

/** Where a session's process can be debugged. */
export interface Inspected {
  /** Of this machine's loopback. */
  readonly port: number;
  /** The task's folder, as the session sees it. */
  readonly folder: string;
}

/** Where a function in Python can be entered. */
export interface DebuggedPython {
  /** The task's folder, as the session sees it. */
  readonly folder: string;
  /** Path of the function's file in it. */
  readonly file: string;
  /** Of the function's first statement, from 1. */
  readonly line: number;
  /** Path of what is ours in Python, as the session sees it. */
  readonly program: string;
  /** Passes a message on to the debugger. Rejects where the session has gone. */
  send(message: Json): Promise<void>;
}

/** A call to carry out. */
export interface CallToRun {
  readonly call: Call;
  /** A debugger of JavaScript is to stop on the first line of the person's function. */
  readonly pause: boolean;
}

/**
 * Holds a run at the boundaries of what it does: the run waits for each promise. While it waits, the run's time limit
 * does not count. A run that is being ended waits for none of them.
 */
export interface RunDebugger {
  /** The session stands at the start of the task. */
  opened(session: DebuggedSession): void;
  /** Resolves with the call to carry out, as the task has it or with other arguments. */
  beforeCall(running: RunningCall): Promise<CallToRun>;
  /** Resolves with a call to carry out in its place before the outcome counts; null: it counts. */
  afterCall(running: RunningCall, outcome: CallOutcome): Promise<Call | null>;
  /** @param step answers of the agent before this one */
  beforeAction(actions: readonly ActionInput[], step: number): Promise<void>;
  /** The answer was carried out and is written down. */
  afterAction(step: Step): Promise<void>;
  /** The run has come to its end, with the session still open. */
  beforeEnd(grade: Grade, error: RunError | null): Promise<void>;
}
