import { basename } from 'node:path';
import * as z from 'zod';
import { printAction } from '../actions/print.ts';
import type { Json } from '../tasks/task.ts';
import { AgentFault } from './agent-fault.ts';
import { findBuiltin } from './catalogue.ts';
import type { CallFailureCode, CallResult, FunctionContext, FunctionDeclaration, Phase } from './declaration.ts';
import { openIn, pageOf } from './needs.ts';
import { NotRecorded } from './not-recorded.ts';
import { UserFailure } from './user/failure.ts';
import { isPython } from './user/files.ts';
import type { UserFunction, UserFunctionSet } from './user/load.ts';
import { placeOfError, placeOfTrace } from './user/place.ts';
import type { UserContext } from './user/taskwright.ts';
import { list } from './words.ts';

/** A setup or evaluate call of a task. */
export interface FunctionCall {
  readonly function: string;
  readonly args: readonly Json[];
}

/** How a person's function is called. */
export type UserCaller = (run: UserFunction['run'], context: UserContext, args: readonly unknown[]) => unknown;

/**
 * Finds the function of a call (built in, else the person's own), checks the arguments, runs it and brings what it
 * returns to a value with a reason. Never rejects; sets no time limit.
 */
export async function runCall(
  call: FunctionCall,
  phase: Phase,
  context: FunctionContext,
  own: UserFunctionSet,
  callUser: UserCaller = (run, given, args) => run(given, ...args),
): Promise<CallResult> {
  const result = await carryOut(call, phase, context, own, callUser);
  // Ours ask nothing of the page's scripts.
  const lacking = findBuiltin(call.function) === undefined ? ((await context.recording?.lacking()) ?? []) : [];
  if (lacking.length === 0) return result;
  const names = list(lacking.map((name) => `\`${name}\``));
  return fail(
    'not_recorded',
    `\`${call.function}\` asked for ${names} of the page's scripts, which a recording does not hold: run the task again to judge this`,
  );
}

async function carryOut(
  call: FunctionCall,
  phase: Phase,
  context: FunctionContext,
  own: UserFunctionSet,
  callUser: UserCaller,
): Promise<CallResult> {
  const builtin = findBuiltin(call.function);
  if (builtin) return runBuiltin(builtin, call, phase, context);
  const mine = own.functions.get(call.function);
  if (mine) return runOwn(mine, call, phase, context, callUser);
  const failures = own.failures.map((failure) => failure.message);
  const why = failures.length > 0 ? ` (${list(failures)})` : '';
  return fail(
    'unknown_function',
    `\`${call.function}\` is no function that Taskwright knows or a file beside the task exports${why}`,
  );
}

async function runBuiltin(
  declaration: FunctionDeclaration,
  call: FunctionCall,
  phase: Phase,
  context: FunctionContext,
): Promise<CallResult> {
  const wrong = wrongPhase(call.function, declaration.phase, phase);
  if (wrong) return wrong;
  const args = declaration.args.safeParse(call.args);
  if (!args.success) return invalidArguments(call.function, args.error);
  try {
    const verdict = await declaration.run(context, ...args.data);
    return phase === 'setup' ? { value: null, reason: '' } : readResult(call.function, verdict);
  } catch (error) {
    if (error instanceof NotRecorded) return fail('not_recorded', error.message);
    if (error instanceof AgentFault && phase === 'evaluate') return { value: 0, reason: error.message, blame: 'agent' };
    return fail('call_threw', `\`${call.function}\` failed: ${messageOf(error)}`, error);
  }
}

async function runOwn(
  own: UserFunction,
  call: FunctionCall,
  phase: Phase,
  context: FunctionContext,
  callUser: UserCaller,
): Promise<CallResult> {
  const wrong = own.phase && wrongPhase(call.function, own.phase, phase);
  if (wrong) return wrong;
  try {
    const args = own.args ? own.args.safeParse(call.args) : { success: true as const, data: call.args };
    if (!args.success) return invalidArguments(call.function, args.error, own.parameters);
    const result = await callUser(own.run, userContext(context), args.data);
    return phase === 'setup' ? { value: null, reason: '' } : readResult(call.function, result);
  } catch (error) {
    if (error instanceof NotRecorded) return fail('not_recorded', error.message);
    if (error instanceof UserFailure) return fail(error.code, `\`${call.function}\` ${error.message}`);
    const trace = error instanceof Error ? (error.stack ?? '') : '';
    const place = isPython(own.file) ? placeOfTrace(trace, own.file) : placeOfError(error, own.file);
    const where = ` (${basename(own.file)}${place ? `:${place.line}` : ''})`;
    return fail('call_threw', `\`${call.function}\` threw${where}: ${messageOf(error)}`, error);
  }
}

function wrongPhase(name: string, declared: Phase, phase: Phase): CallResult | undefined {
  if (declared === phase) return undefined;
  return fail(
    'unknown_function',
    `\`${name}\` is ${declared === 'setup' ? 'a setup' : 'an evaluate'} function: it cannot stand under \`${phase}\``,
  );
}

/** The person's view of the context: a page that is there, or words. */
function userContext(context: FunctionContext): UserContext {
  return {
    get page() {
      return pageOf(context);
    },
    response: context.response,
    actions: context.actions.map(({ normalised, input, error }) => ({
      action: normalised ? printAction(normalised) : typeof input === 'string' ? input : JSON.stringify(input),
      error,
    })),
    get folder() {
      return context.workspace?.folder ?? null;
    },
    open: async (target) => openIn(context, target),
  };
}

const resultObject = z.looseObject({
  value: z.union([z.number(), z.boolean(), z.nan()]),
  reason: z.string().nullish(),
  parts: z.array(z.object({ name: z.string(), value: z.number().min(0).max(1), reason: z.string() })).nullish(),
});

/** A number from 0 to 1, a boolean, or an object of a value and a reason; anything else is an error. */
export function readResult(name: string, result: unknown): CallResult {
  if (result === undefined || result === null) {
    return fail(
      'call_returned_nothing',
      `\`${name}\` returned nothing; return a number from 0 to 1, a boolean, or {value, reason}`,
    );
  }
  const read = typeof result === 'object' ? resultObject.safeParse(result) : undefined;
  const value = read?.success ? read.data.value : result;
  const reason = read?.success ? read.data.reason : undefined;
  const parts = read?.success && read.data.parts != null ? { parts: read.data.parts } : {};
  if (typeof value === 'boolean') return { value: value ? 1 : 0, reason: reason ?? `returned ${value}`, ...parts };
  if (typeof value === 'number' && value >= 0 && value <= 1) {
    return { value, reason: reason ?? `returned ${value}`, ...parts };
  }
  return fail(
    'call_out_of_range',
    `\`${name}\` returned ${shown(value)}; return a number from 0 to 1, a boolean, or {value, reason}`,
  );
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string')
    return `the text ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object without a value' : `a ${typeof value}`;
}

/** `parameters`: what the arguments are called. */
function invalidArguments(name: string, error: z.ZodError, parameters: readonly string[] = []): CallResult {
  const [issue] = error.issues;
  const [position, ...inside] = issue?.path ?? [];
  const parameter = typeof position === 'number' ? parameters[position] : undefined;
  const what = parameter === undefined ? '' : ` “${parameter}”`;
  const where =
    typeof position === 'number'
      ? `argument ${position + 1}${what}${inside.length > 0 ? ` (${inside.join('.')})` : ''}: `
      : '';
  return fail('invalid_arguments', `wrong arguments for \`${name}\`: ${where}${issue?.message ?? 'they do not fit'}`);
}

function fail(code: CallFailureCode, message: string, cause?: unknown): CallResult {
  const stack = cause instanceof Error ? cause.stack : undefined;
  return { error: { code, message, ...(stack ? { stack } : {}) } };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Playwright adds its call log below the first line.
  return error.message.split('\n')[0] || error.name;
}
