import { basename } from 'node:path';
import * as z from 'zod';
import { printAction } from '../actions/print.ts';
import { printInputs } from '../actions/print-input.ts';
import type { Json } from '../base/json.ts';
import { AgentFault } from './agent-fault.ts';
import { findBuiltin } from './catalogue.ts';
import type {
  CallFailureCode,
  CallResult,
  FunctionContext,
  FunctionDeclaration,
  Phase,
  Subject,
} from './declaration.ts';
import { episodeOf, openIn, pageOf } from './needs.ts';
import { NotRecorded } from './not-recorded.ts';
import { PatternLimit } from './pattern.ts';
import { locationInTrace, locationOfError } from './user/error-location.ts';
import { UserFailure } from './user/failure.ts';
import { isPython } from './user/files.ts';
import type { LoadFailure, UserFunction, UserFunctionSet } from './user/load.ts';
import type { UserContext } from './user/taskwright.ts';
import { list } from './words.ts';

/** A setup or evaluate call of a task. */
export interface FunctionCall {
  readonly function: string;
  readonly args: readonly Json[];
}

/** Calls a user-defined function. */
export type UserCaller = (run: UserFunction['run'], context: UserContext, args: readonly unknown[]) => unknown;

/**
 * Finds the built-in or user-defined function of a call, checks the arguments, runs it, and converts its result to a
 * value with a reason. Never rejects, and sets no time limit.
 */
export async function runCall(
  call: FunctionCall,
  phase: Phase,
  context: FunctionContext,
  userFunctions: UserFunctionSet,
  callUser: UserCaller = (run, userContext, args) => run(userContext, ...args),
): Promise<CallResult> {
  const builtin = findBuiltin(call.function);
  // Built-in functions do not read globals of the page's scripts.
  if (builtin) return runBuiltin(builtin, call, phase, context);
  const userFunction = userFunctions.functions.get(call.function);
  const result = userFunction
    ? await runUserFunction(userFunction, call, phase, context, callUser)
    : missingFunction(call, userFunctions);
  const lacking = (await context.recording?.lacking()) ?? [];
  if (lacking.length === 0) return result;
  const names = list(lacking.map((name) => `\`${name}\``));
  return fail(
    'not_recorded',
    `\`${call.function}\` reads ${names} from the page's scripts, which recordings do not contain. Run the task again to evaluate this call`,
  );
}

function missingFunction(call: FunctionCall, { failures }: UserFunctionSet): CallResult {
  const isCause = ({ mayExport }: LoadFailure): boolean => mayExport?.(call.function) === true;
  const causes = failures.filter(isCause);
  const why = list([...causes, ...failures.filter((failure) => !isCause(failure))].map(({ message }) => message));
  const [broken] = causes;
  if (broken !== undefined) return fail('call_threw', `\`${call.function}\` cannot be called: ${why}`, broken.stack);
  return fail(
    'unknown_function',
    `unknown function \`${call.function}\`: it is not built in, and no functions file next to the task exports it${why === '' ? '' : ` (${why})`}`,
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
    if (phase === 'evaluate' && isByAgent(error, declaration, context)) {
      return { value: 0, reason: messageOf(error), blame: 'agent' };
    }
    return fail('call_threw', `\`${call.function}\` failed: ${messageOf(error)}`, stackOf(error));
  }
}

/** What an agent has typed counts as the cause of a slow pattern from this number of characters on. */
const MIN_TYPED = 20;

/** Whether an error is the agent's fault: what it has left cannot be evaluated, or its text is too much for a pattern. */
function isByAgent(error: unknown, declaration: FunctionDeclaration, { actions, response }: FunctionContext): boolean {
  if (error instanceof AgentFault) return true;
  if (!(error instanceof PatternLimit) || declaration.phase !== 'evaluate') return false;
  // Pages are written by the author or a site, and have texts of an agent only if it has typed them.
  if (!declaration.reads.some((subject) => PAGE_SUBJECTS.has(subject))) return actions.length > 0 || response !== null;
  const texts = actions.flatMap(({ normalised }) =>
    normalised !== null && 'text' in normalised ? (normalised.text ?? []) : [],
  );
  return texts.reduce((sum, text) => sum + text.length, 0) >= MIN_TYPED;
}

const PAGE_SUBJECTS: ReadonlySet<Subject> = new Set(['page', 'url', 'cookies', 'history']);

async function runUserFunction(
  userFunction: UserFunction,
  call: FunctionCall,
  phase: Phase,
  context: FunctionContext,
  callUser: UserCaller,
): Promise<CallResult> {
  const wrong = userFunction.phase && wrongPhase(call.function, userFunction.phase, phase);
  if (wrong) return wrong;
  try {
    const args = userFunction.args
      ? userFunction.args.safeParse(call.args)
      : { success: true as const, data: call.args };
    if (!args.success) return invalidArguments(call.function, args.error, userFunction.parameters);
    const result = await callUser(userFunction.run, userContext(context), args.data);
    return phase === 'setup' ? { value: null, reason: '' } : readResult(call.function, result);
  } catch (error) {
    if (error instanceof NotRecorded) return fail('not_recorded', error.message);
    if (error instanceof UserFailure) return fail(error.code, `\`${call.function}\` ${error.message}`);
    const trace = stackOf(error) ?? '';
    const place = isPython(userFunction.file)
      ? locationInTrace(trace, userFunction.file)
      : locationOfError(error, userFunction.file);
    const where = ` (${basename(userFunction.file)}${place ? `:${place.line}` : ''})`;
    return fail('call_threw', `\`${call.function}\` threw${where}: ${messageOf(error)}`, trace);
  }
}

function wrongPhase(name: string, itsPhase: Phase, phase: Phase): CallResult | undefined {
  if (itsPhase === phase) return undefined;
  return fail(
    'unknown_function',
    `\`${name}\` is ${itsPhase === 'setup' ? 'a setup' : 'an evaluate'} function and cannot be used under \`${phase}\``,
  );
}

/** The context as user-defined functions see it. Reading `page` or `episode` throws if the environment has none. */
function userContext(context: FunctionContext): UserContext {
  return {
    get page() {
      return pageOf(context);
    },
    response: context.response,
    actions: context.actions.map(({ normalised, input, error }) => ({
      action: normalised ? printAction(normalised) : printInputs(input).join(),
      error,
    })),
    get folder() {
      return context.workspace?.folder ?? null;
    },
    get episode() {
      return episodeOf(context);
    },
    open: async (target) => openIn(context, target),
  };
}

const resultObject = z.looseObject({
  value: z.union([z.number(), z.boolean(), z.nan()]),
  reason: z.unknown().optional(),
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
  const reason = read?.success ? (read.data.reason ?? undefined) : undefined;
  if (reason !== undefined && typeof reason !== 'string') {
    return fail(
      'call_out_of_range',
      `\`${name}\` returned a reason that is ${kindOf(reason)}; return {value, reason} with a text as the reason`,
    );
  }
  const parts = read?.success && read.data.parts != null ? { parts: read.data.parts } : {};
  if (typeof value === 'boolean') return { value: value ? 1 : 0, reason: reason ?? `returned ${value}`, ...parts };
  if (typeof value === 'number' && value >= 0 && value <= 1) {
    return { value, reason: reason ?? `returned ${value}`, ...parts };
  }
  return fail(
    'call_out_of_range',
    `\`${name}\` returned ${describeValue(value)}; return a number from 0 to 1, a boolean, or {value, reason}`,
  );
}

function describeValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string')
    return `the text ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
  return typeof value === 'object' && !Array.isArray(value) ? 'an object without a value' : kindOf(value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** `parameters`: the names of the arguments. */
function invalidArguments(name: string, error: z.ZodError, parameters: readonly string[] = []): CallResult {
  const [issue] = error.issues;
  const [position, ...inside] = issue?.path ?? [];
  const parameter = typeof position === 'number' ? parameters[position] : undefined;
  const what = parameter === undefined ? '' : ` “${parameter}”`;
  const where =
    typeof position === 'number'
      ? `argument ${position + 1}${what}${inside.length > 0 ? ` (${inside.join('.')})` : ''}: `
      : '';
  return fail(
    'invalid_arguments',
    `invalid arguments for \`${name}\`: ${where}${issue?.message ?? 'they do not match'}`,
  );
}

function fail(code: CallFailureCode, message: string, stack?: string): CallResult {
  return { error: { code, message, ...(stack ? { stack } : {}) } };
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Playwright adds its call log below the first line.
  return error.message.split('\n')[0] || error.name;
}
