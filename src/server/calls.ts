import { basename } from 'node:path';
import { defined } from '../base/defined.ts';
import type { Environment } from '../environments/environment.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import type { CallResult, FunctionContext, Phase } from '../functions/declaration.ts';
import { runCall, type UserCaller } from '../functions/evaluate.ts';
import { fileBeingLoaded, loadUserFunctions, NO_USER_FUNCTIONS, type UserFunctionSet } from '../functions/user/load.ts';
import { endBusyPython, withPython } from '../functions/user/python/functions.ts';
import type { Call } from '../tasks/task.ts';
import type { CallOutcome } from './protocol.ts';
import { READS_TOO_MUCH } from './request-guards.ts';

export interface CallRequest {
  readonly phase: Phase;
  readonly call: Call;
  readonly environment: Environment;
  /** The folder of user-defined functions. */
  readonly folder: string;
  /** Time limit, including loading the files of user-defined functions; null for none. */
  readonly limitMs: number | null;
  /** Whether the time limit is suspended, because a debugger was attached during the call. */
  isSuspended?(): boolean;
  /** How to call user-defined functions while a debugger is attached. */
  readonly callUser?: UserCaller | undefined;
  /** Replaces the agent's response. */
  readonly response?: string | undefined;
  /** Called with the user-defined functions each time they are loaded. */
  onFunctions(functions: UserFunctionSet): void;
}

/**
 * Runs one setup or evaluate call with its time limit. A call that awaits something is abandoned at the limit. A call
 * that blocks the process cannot be stopped here: the server ends the process.
 *
 * @throws EnvironmentError if the environment crashes during the call
 */
export async function runCallWithLimit(request: CallRequest): Promise<CallOutcome> {
  const { phase, call, environment, folder, limitMs, callUser, response } = request;
  const startedAt = performance.now();
  const elapsed = () => ({ duration_ms: performance.now() - startedAt });
  const limit = timeLimit(limitMs, request.isSuspended);
  const limitReached = new AbortController();
  const endCall = await environment.startCall?.();
  let accessedPage = false;
  const context = (): FunctionContext =>
    contextOf(environment, response, () => {
      accessedPage = true;
    });
  try {
    // Those in Python are loaded if the function may be in Python.
    const loadFunctions = async () =>
      findBuiltin(call.function)
        ? NO_USER_FUNCTIONS
        : await withPython(await loadUserFunctions(folder), folder, call.function);
    const result: CallResult | null = await Promise.race([
      environment.call?.(call, phase, { ...defined({ response }), signal: limitReached.signal }) ??
        loadFunctions().then((functions) => {
          // Loading took longer than the limit: the outcome is reported already.
          if (limitReached.signal.aborted) return null;
          request.onFunctions(functions);
          return runCall(call, phase, context(), functions, callUser);
        }),
      environment.broken ?? new Promise<never>(() => undefined),
      limit.whenReached,
    ]);
    if (result === null) {
      const mayBeStuck = phase === 'evaluate' && accessedPage;
      const stuckReason = mayBeStuck ? ((await environment.whyStuck?.()) ?? null) : null;
      if (stuckReason !== null) {
        const verdict = { value: 0, reason: stuckReason, blame: 'agent' } as const;
        return { ...verdict, ...elapsed(), step: null, ...outputsOf(environment) };
      }
      const seconds = (limitMs ?? 0) / 1000;
      const file = fileBeingLoaded();
      const late =
        file === null
          ? `\`${call.function}\` did not return within ${seconds} s`
          : `\`${call.function}\` cannot be called: ${basename(file)} was not loaded within ${seconds} s. It waits or computes at its top level`;
      const message = accessedPage && findBuiltin(call.function) ? `${late}. ${READS_TOO_MUCH}` : late;
      return { error: { message, code: 'call_timeout' }, ...elapsed(), ...outputsOf(environment) };
    }
    const duration = elapsed();
    if ('error' in result) return { ...result, ...duration, ...outputsOf(environment) };
    if (phase === 'setup') return { ...result, ...duration, step: await environment.observe() };
    return { ...result, ...duration, step: null, ...outputsOf(environment) };
  } finally {
    endCall?.();
    limit.stop();
    limitReached.abort();
    endBusyPython();
  }
}

/** The output of the commands of the call, if any. */
function outputsOf(environment: Environment): Pick<CallOutcome, 'outputs'> {
  const outputs = environment.outputs?.() ?? [];
  return outputs.length === 0 ? {} : { outputs };
}

/**
 * The context of a call. A derived object: values of the environment's context are getters that follow the page.
 * `onPageAccess`: called each time the call gets the page.
 */
function contextOf(environment: Environment, response: string | undefined, onPageAccess: () => void): FunctionContext {
  const context = environment.functionContext?.();
  if (context === undefined) throw new Error('this environment calls no functions');
  const getPage = (): FunctionContext['page'] => {
    onPageAccess();
    return context.page;
  };
  return Object.create(context, {
    page: { get: getPage, enumerable: true },
    ...(response === undefined ? {} : { response: { value: response, enumerable: true } }),
  }) as FunctionContext;
}

function timeLimit(ms: number | null, isSuspended?: () => boolean): { whenReached: Promise<null>; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const whenReached = new Promise<null>((resolve) => {
    if (ms === null) return;
    timer = setTimeout(() => {
      if (isSuspended?.() !== true) resolve(null);
    }, ms);
  });
  return { whenReached, stop: () => clearTimeout(timer) };
}
