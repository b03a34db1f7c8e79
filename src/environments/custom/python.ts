import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve, sep } from 'node:path';
import { lastLines } from '../../base/log-lines.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { locatePython } from '../../functions/user/python/locate.ts';
import { Guard } from '../../processes/guard.ts';
import { EnvironmentError, type ResetOptions } from '../environment.ts';
import { type Controller, ControllerError } from './controller.ts';
import { Conversation, type Invocation, type InvocationResult, SCRIPT } from './invocation.ts';
import { readCustom } from './spec.ts';

/**
 * How long to wait for the last output of an ended process, in ms, because its child processes may keep its pipes open.
 */
const LAST_WORDS = 500;

/**
 * A controller that runs on this machine with `python3`, from the folder of its build context and without Docker: a new
 * process for each call, in an empty folder for the task. Rejects with `EnvironmentError` `start_failed` if the context
 * does not exist.
 */
export async function localController({ task, files }: ResetOptions, log: (text: string) => void): Promise<Controller> {
  const spec = readCustom(task.env);
  if (!('folder' in files)) throw failed('The files of the task were not put in place.');
  const named = spec.context ?? spec.image;
  if (named === null)
    throw failed('The environment names neither an image nor a folder. Set its "image_or_build_context".');
  const context = resolve(files.folder, named);
  if (spec.context === null && !existsSync(context)) {
    throw failed(
      `The environment is the image “${named}”, which runs in Docker alone: run the task with --placement docker. Without Docker a controller runs from its folder: "image_or_build_context": "./FOLDER".`,
    );
  }
  if (!existsSync(context)) throw failed(`The environment's folder ${context} does not exist.`);
  const source = join(context, 'src');
  if (!existsSync(join(source, 'hud_controller')) && !existsSync(join(source, 'hud_controller.py'))) {
    throw failed(`${context} has no controller. Its package must be in src/hud_controller.`);
  }
  const python = await locatePython(context).catch((error: Error) => {
    throw failed(error.message);
  });
  const scratch = await mkdtemp(join(tmpdir(), 'controller-'));
  return new PythonController({ python, source, folder: files.folder, scratch, log });
}

interface Places {
  /** The path of Python. */
  readonly python: string;
  /** The folder of its packages. */
  readonly source: string;
  /** The task's folder. */
  readonly folder: string;
  /** The working directory, which is empty at the start. */
  readonly scratch: string;
  log(text: string): void;
}

class PythonController implements Controller {
  readonly #places: Places;
  /** Ends servers that functions have started with the task. */
  readonly #guard = new Guard('TASKWRIGHT_WORKSPACE');

  constructor(places: Places) {
    this.#places = places;
  }

  async invoke(invocation: Invocation, signal: AbortSignal): Promise<InvocationResult> {
    const { python, source, scratch, log } = this.#places;
    const conversation = new Conversation(invocation);
    const inherited = process.env['PYTHONPATH'];
    const child = spawn(python, ['-c', SCRIPT], {
      cwd: scratch,
      env: {
        ...process.env,
        PYTHONPATH: inherited ? `${source}${delimiter}${inherited}` : source,
        // Nothing is written next to the user's files.
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUTF8: '1',
        TMPDIR: scratch,
        TMP: scratch,
        TEMP: scratch,
        ...this.#guard.mark,
      },
      // A new process group, so that processes that it leaves running end with the task and not only with the session.
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    if (child.pid !== undefined) this.#guard.add(child.pid);
    const words: string[] = [];
    const answered = Promise.withResolvers<void>();
    const exited = once(child, 'exit');
    // `exited` reports that it could not be started.
    const closed = once(child, 'close').catch(() => {});
    child.stdout.on('data', (chunk: Buffer) => conversation.receive(chunk) && answered.resolve());
    const onData = (text: string): void => void words.push(text);
    child.stderr.setEncoding('utf8').on('data', onData);
    // It may end before it reads the request.
    child.stdin.on('error', () => {});
    child.stdin.end(conversation.question);
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    try {
      await Promise.race([answered.promise, exited]);
      // A server that it has started may keep its pipes open.
      const whole = conversation.result !== null;
      await Promise.race([whole ? exited : Promise.all([closed, exited]), pause(LAST_WORDS)]);
      const { result } = conversation;
      if (result !== null) return result;
      const [code, ended] = (await exited) as [number | null, NodeJS.Signals | null];
      const said = lastLines(words.join(''));
      throw new ControllerError(endOf(code, ended, said), said);
    } catch (error) {
      if (error instanceof ControllerError) throw error;
      throw new EnvironmentError(
        'start_failed',
        `The controller cannot be run by ${python}: ${describeSystemError(error)}`,
        {
          cause: error,
        },
      );
    } finally {
      signal.removeEventListener('abort', kill);
      for (const line of words.join('').split('\n')) if (line !== '') log(line);
      // A server that the call has started may keep writing. If nothing read its output, it would block.
      child.stdout.removeAllListeners('data').resume();
      child.stderr.off('data', onData).resume();
    }
  }

  ownPath(path: string): string {
    const { folder } = this.#places;
    const below = relative(folder, path);
    return below.startsWith('..') ? path : below.split(sep).join('/');
  }

  async close(): Promise<void> {
    await this.#guard.close();
    await rm(this.#places.scratch, { recursive: true, force: true });
  }
}

/** Why the process of a call gave no answer. */
export function endOf(code: number | null, signal: string | null, said: string): string {
  const last = said.split('\n').at(-1) ?? '';
  const words = last === '' ? '' : `: ${last}`;
  return signal === null
    ? `the controller's process exited before it answered (exit code ${code})${words}`
    : `the controller's process was terminated (${signal})${words}`;
}

function failed(message: string): EnvironmentError {
  return new EnvironmentError('start_failed', message);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
