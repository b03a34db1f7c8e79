import { basename, dirname } from 'node:path';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import type { Json } from '../../../base/json.ts';
import { jsonSchema } from '../../../base/json-validator.ts';
import { describeLoadFailure, locationInTrace, ownFilesInTrace } from '../error-location.ts';
import { UserFailure } from '../failure.ts';
import { functionsFiles, isPython } from '../files.ts';
import { exportsIn, NO_USER_FUNCTIONS, type UserFunction, type UserFunctionSet, whileLoading } from '../load.ts';
import type { UserContext } from '../taskwright.ts';
import { PythonDebugging } from './debugging.ts';
import { pythonFileOf } from './defines.ts';
import { locatePython } from './locate.ts';
import type { PageBridge } from './page-bridge.ts';
import { type Answerer, PythonProcess } from './process.ts';
import { answerFrom } from './state.ts';

export const errorSchema = z.object({ message: z.string(), stack: z.string() });
const loadedSchema = z.object({
  loaded: z.array(
    z.object({
      file: z.string(),
      name: z.string(),
      line: z.number().int(),
      phase: z.enum(['setup', 'evaluate']).nullable(),
      parameters: z.array(z.string()),
      schema: z.record(z.string(), z.unknown()),
    }),
  ),
  failures: z.array(errorSchema.extend({ file: z.string() })),
});
const resultSchema = z.union([
  z.object({ value: z.union([z.number(), z.boolean()]), reason: z.string().nullable() }),
  z.object({ nothing: z.literal(true) }),
  z.object({ returned: z.string() }),
  z.object({ reasonType: z.string() }),
  z.object({ threw: errorSchema }),
]);

/** An exception of a Python function, with Python's traceback as its stack. */
export class PythonError extends Error {
  constructor({ message, stack }: z.infer<typeof errorSchema>) {
    super(message);
    this.stack = stack;
  }
}

const VALID_RESULTS = 'return a number from 0 to 1, a bool, or a dict of "value" and "reason"';

let running: PythonProcess | null = null;
/** The debugger connection; null before an editor requests it. */
let debugging: PythonDebugging | null = null;
/** The one-based line of the running call in the task file; null if unknown. */
let callLine: number | null = null;
let fresh = false;
let cached: { readonly base: UserFunctionSet; readonly answer: string; readonly set: UserFunctionSet } | null = null;

/**
 * Adds the functions in the folder's `*.functions.py` files to a set if one of them defines the wanted name. Otherwise,
 * Python is not started. Reloads files and their imports if they have changed.
 */
export async function withPython(set: UserFunctionSet, folder: string, name: string): Promise<UserFunctionSet> {
  const definingFile = await pythonFileOf(folder, name);
  if (definingFile === null) return set;
  const files = (await functionsFiles(folder)).filter(isPython);
  let answer: z.infer<typeof loadedSchema>;
  try {
    const python = await startPython(folder);
    answer = loadedSchema.parse(
      await whileLoading(definingFile, python.request({ do: 'load', folder, files, fresh }, refuse)),
    );
    fresh = false;
  } catch (error) {
    const message = `${files.map((file) => basename(file)).join(', ')}: ${(error as Error).message}`;
    return { ...set, failures: [...set.failures, { file: definingFile, message, mayExport: exportsIn(definingFile) }] };
  }
  // Returns the same object for the same set, so that callers can detect changes.
  const text = JSON.stringify(answer);
  if (cached?.base !== set || cached.answer !== text) cached = { base: set, answer: text, set: merge(set, answer) };
  return cached.set;
}

/** The Python process of the session for tasks in a folder. */
export async function startPython(folder: string): Promise<PythonProcess> {
  const program = await locatePython(folder);
  if (running !== null && running.program !== program) running.end();
  if (running === null || running.ended) running = new PythonProcess(program);
  return running;
}

/** Whether a debugger is attached, which may stop user code for any time. */
export function isPythonDebugged(): boolean {
  return debugging !== null && debugging.python === running && !debugging.closed;
}

/** Makes the next load reload all modules. */
export function forgetPython(): void {
  fresh = true;
}

/** Where a debugger enters a Python function. */
export interface PythonEntry {
  /** Absolute path of the function's file. */
  readonly file: string;
  /** The one-based line of its first statement. */
  readonly line: number;
  readonly debugging: PythonDebugging;
}

/**
 * Connects Python to the debugger of an editor, unless it is connected. `listen` receives messages of the Debug Adapter
 * Protocol, and null when the connection ends. From then on, calls by `calledAt` appear at their locations in
 * `taskFile`. Rejects with a message that continues after the function's name.
 */
export async function debugPython(
  folder: string,
  name: string,
  taskFile: string,
  listen: (message: Json | null) => void,
): Promise<PythonEntry> {
  // debugpy cannot connect a second time.
  if (debugging?.closed === true && debugging.python === running) running.end();
  const { functions, failures } = await withPython(NO_USER_FUNCTIONS, folder, name);
  const entry = functions.get(name);
  if (entry?.line === undefined || running === null) {
    throw new Error(failures[0]?.message ?? 'is no longer defined in the file');
  }
  if (debugging?.python !== running) debugging = await PythonDebugging.open(running, taskFile, listen);
  return { file: entry.file, line: entry.line, debugging };
}

/**
 * The same for the class of a custom task, whose instance must stay in its process. Before the reset, Python starts here.
 * Rejects with a message that continues after its name.
 */
export async function debugTaskClass(
  folder: string,
  taskFile: string,
  listen: (message: Json | null) => void,
): Promise<PythonDebugging> {
  const python = await startPython(folder);
  if (debugging?.python !== python) debugging = await PythonDebugging.open(python, taskFile, listen);
  else if (debugging.closed) throw new Error('debugpy was disconnected, and can connect again in the next run');
  return debugging;
}

/** Calls a user-defined function from a zero-based line of the task file. */
export function calledAt<T>(line: number, call: () => T): T {
  callLine = line + 1;
  try {
    return call();
  } finally {
    callLine = null;
  }
}

/** Terminates Python if a function still runs in it, because it would block the next call. */
export function endBusyPython(): void {
  if (running?.busy === true) running.end();
}

function merge(set: UserFunctionSet, { loaded, failures }: z.infer<typeof loadedSchema>): UserFunctionSet {
  const functions = new Map(set.functions);
  const duplicates = new Set<string>();
  const all = [...set.failures];
  for (const { file, message, stack } of failures) {
    const locate = (one: string) => locationInTrace(stack, one);
    all.push({
      file,
      message: describeLoadFailure(file, message, locate, ownFilesInTrace(stack, dirname(file))),
      stack,
      mayExport: exportsIn(file),
    });
  }
  for (const { name, file, line, phase, parameters, schema } of loaded) {
    const other = functions.get(name);
    if (other !== undefined) {
      duplicates.add(name);
      const message = `\`${name}\` is exported by ${basename(other.file)} and ${basename(file)}. Rename one of them`;
      all.push({ file, message });
      continue;
    }
    const args = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema) as unknown as NonNullable<
      UserFunction['args']
    >;
    const run: UserFunction['run'] = (context, ...given) => call({ name, file }, context, given);
    functions.set(name, { name, file, line, phase: phase ?? undefined, args, parameters, run });
  }
  // A name that is exported twice is ambiguous.
  for (const name of duplicates) functions.delete(name);
  return { ...set, functions, failures: all };
}

async function call(
  { name, file }: Pick<UserFunction, 'name' | 'file'>,
  context: UserContext,
  args: readonly unknown[],
): Promise<unknown> {
  const python = running;
  if (python === null) throw new Error('Python is not running.');
  const { response, actions } = context;
  const callContext = { response, actions, folder: context.folder };
  const message = { do: 'call', name, file, line: callLine, args, context: callContext };
  const result = resultSchema.parse(
    await requestWithPage(python, jsonSchema.parse(message), () => context.page, answerFrom(context)),
  );
  if ('threw' in result) throw new PythonError(result.threw);
  if ('nothing' in result) return undefined;
  if ('returned' in result) throw new UserFailure('call_out_of_range', `returned ${result.returned}; ${VALID_RESULTS}`);
  if ('reasonType' in result) {
    throw new UserFailure(
      'call_out_of_range',
      `returned a reason of type ${result.reasonType}; return a dict of "value" and "reason" with a text as the reason`,
    );
  }
  return { value: result.value, ...(result.reason === null ? {} : { reason: result.reason }) };
}

/** Sends a request during which Python can connect to the page. Other questions are answered by `answer`. */
export async function requestWithPage(
  python: PythonProcess,
  message: Json,
  page: () => Page,
  answer: Answerer,
): Promise<Json> {
  let bridge: PageBridge | null = null;
  try {
    return await python.request(message, async (question) => {
      if (question.ask !== 'page') return answer(question);
      const live = page();
      const { bridgePage } = await import('./page-bridge.ts');
      bridge ??= await bridgePage(live);
      return bridge.endpoint;
    });
  } finally {
    await (bridge as PageBridge | null)?.close();
  }
}

export const refuse: Answerer = async ({ ask }) => {
  throw new Error(`${ask} is only available while a function runs, not while its file is loaded`);
};
