import type { ActionInput } from '../../actions/action.ts';
import type { Json } from '../../base/json.ts';
import type { Phase } from '../../functions/declaration.ts';
import type { PageLink } from '../../functions/page/page-link.ts';
import type { AttachPython } from '../../placement/placement.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import type { Call } from '../../tasks/task.ts';
import type { Grade, RunError, Step } from '../../traces/trace.ts';

/** A setup or evaluate call of the current run. */
export interface RunningCall {
  readonly phase: Phase;
  /** Index among the calls of its phase. */
  readonly index: number;
  readonly call: Call;
}

/** The session of a debugged run. Nothing that is done through it is recorded. */
export interface DebuggedSession {
  /** Runs a call for the debugger. Rejects if the session has ended. */
  runCall(phase: Phase, call: Call): Promise<CallOutcome>;
  /**
   * Opens the process of the session to a JavaScript debugger. From then on calls have no time limit, and the time of a
   * call does not count toward the time limit of the run. Rejects if the session has ended.
   */
  inspect(): Promise<InspectorTarget>;
  /**
   * The same for the session's Python process. `name`: of the function; null for the class of a custom task. `listen`
   * receives the Debug Adapter Protocol messages of debugpy, and null when it has ended. Rejects with a message that
   * continues “FUNCTION cannot be stepped into: ”.
   */
  debugPython(name: string | null, listen: (message: Json) => void): Promise<PythonConnection>;
  /** Reads from the page without changing it. Rejects with an `Error`. */
  queryPage(links: readonly PageLink[]): Promise<Json>;
  /** Replaces the agent's response for all following evaluate calls. */
  setResponse(text: string): void;
}

/** The session before its reset, to which a debugger can be attached already. */
export type UnresetSession = Pick<DebuggedSession, 'inspect' | 'debugPython'>;

/** Where to attach a JavaScript debugger. */
export interface InspectorTarget {
  /** On the loopback interface of this machine. */
  readonly port: number;
  /** The task's folder, as the session sees it. */
  readonly folder: string;
}

/** A connection to debugpy in a session. */
export interface PythonConnection {
  /** The task's folder, as the session sees it. */
  readonly folder: string;
  /** Where the function begins: its file in this folder and the line of its first statement, from 1; null for a class. */
  readonly entry: { readonly file: string; readonly line: number } | null;
  /** Paths of our own Python code, as the session sees it. */
  readonly programs: readonly string[];
  /** Sends a message to debugpy. Rejects if the session has ended. */
  send(message: Json): Promise<void>;
  /** Reads from the page without changing it, also while Python is stopped. Rejects with an `Error`. Absent if there is no page. */
  queryPage?(links: readonly PageLink[]): Promise<Json>;
}

/** A call to run. */
export interface CallToRun {
  readonly call: Call;
  /** Whether a JavaScript debugger stops on the first line of the user-defined function. */
  readonly pause: boolean;
}

/**
 * Hooks at the boundaries of what a run does. The run awaits each of them, and its time limit does not count meanwhile.
 * A run that is being ended does not wait.
 */
export interface RunDebugger {
  /** Whether the user debugs the run. False for “Run without debugging”. */
  readonly debugged: boolean;
  /** Whether the user has changed a value, an argument, the response, or the page so far. */
  readonly edited: boolean;
  /**
   * Attaches a debugger to an environment of Python code while it starts; undefined if the user does not debug Python, or if the
   * code runs where no debugger reaches it.
   */
  attachPython?(placement: PlacementKind): AttachPython | undefined;
  /** The session is open. Its reset follows, which calls methods of the task's class. */
  beforeReset(session: UnresetSession): Promise<void>;
  /** The session has been reset to the start of the task. */
  afterReset(session: DebuggedSession): void;
  /** Resolves with the call to run: unchanged, or with other arguments. */
  beforeCall(running: RunningCall): Promise<CallToRun>;
  /** Resolves with a call to run instead, or null if the outcome counts. */
  afterCall(running: RunningCall, outcome: CallOutcome): Promise<Call | null>;
  /** @param step number of answers of the agent before this one */
  beforeAction(actions: readonly ActionInput[], step: number): Promise<void>;
  /** The action was carried out and recorded. */
  afterAction(step: Step): Promise<void>;
  /** The run is complete; its session is still open. */
  beforeEnd(grade: Grade, error: RunError | null): Promise<void>;
}
