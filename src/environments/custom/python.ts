import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve, sep } from 'node:path';
import { lastLines } from '../../base/log-lines.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { locatePython } from '../../functions/user/python/locate.ts';
import { Guard } from '../../processes/guard.ts';
import { EnvironmentError, type ResetOptions, requireFolder } from '../environment.ts';
import { type Controller, ControllerError } from './controller.ts';
import { Conversation, type Invocation, type InvocationResult, SCRIPT } from './invocation.ts';
import { readCustom } from './spec.ts';

/**
 * How long to wait for the last output of an ended process, in ms, because its child processes may keep its pipes open.
 */
const OUTPUT_GRACE = 500;

/**
 * A controller that runs on this machine with `python3`, from the folder of its build context and without Docker: a new
 * process for each call, in an empty folder for the task. Rejects with `EnvironmentError` `start_failed` if the context
 * does not exist.
 */
export async function localController({ task, files }: ResetOptions, log: (text: string) => void): Promise<Controller> {
  const spec = readCustom(task.env);
  const { folder } = requireFolder(files);
  const name = spec.context ?? spec.image;
  if (name === null)
    throw startFailure('The environment names neither an image nor a folder. Set its "image_or_build_context".');
  const context = resolve(folder, name);
  if (spec.context === null && !existsSync(context)) {
    throw startFailure(
      `The environment is the image “${name}”, which runs in Docker alone: run the task with --placement docker. Without Docker a controller runs from its folder: "image_or_build_context": "./FOLDER".`,
    );
  }
  if (!existsSync(context)) throw startFailure(`The environment's folder ${context} does not exist.`);
  const source = join(context, 'src');
  if (!existsSync(join(source, 'hud_controller')) && !existsSync(join(source, 'hud_controller.py'))) {
    throw startFailure(`${context} has no controller. Its package must be in src/hud_controller.`);
  }
  const python = await locatePython(context).catch((error: Error) => {
    throw startFailure(error.message);
  });
  const scratch = await mkdtemp(join(tmpdir(), 'controller-'));
  return createController({ python, source, folder, scratch, log });
}

interface Setup {
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

/** Each call runs in a process. The servers that functions have started end with the task. */
function createController({ python, source, folder, scratch, log }: Setup): Controller {
  const guard = new Guard('TASKWRIGHT_WORKSPACE');
  const invoke = async (invocation: Invocation, signal: AbortSignal): Promise<InvocationResult> => {
    const conversation = new Conversation(invocation);
    const inheritedPath = process.env['PYTHONPATH'];
    const child = spawn(python, ['-c', SCRIPT], {
      cwd: scratch,
      env: {
        ...process.env,
        PYTHONPATH: inheritedPath ? `${source}${delimiter}${inheritedPath}` : source,
        // Nothing is written next to the user's files.
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUTF8: '1',
        TMPDIR: scratch,
        TMP: scratch,
        TEMP: scratch,
        ...guard.mark,
      },
      // A new process group, so that processes that it leaves running end with the task and not only with the session.
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    if (child.pid !== undefined) guard.add(child.pid);
    const errors: string[] = [];
    const answer = Promise.withResolvers<void>();
    const exit = once(child, 'exit');
    // `exit` reports that it could not be started.
    const end = once(child, 'close').catch(() => {});
    child.stdout.on('data', (chunk: Buffer) => conversation.receive(chunk) && answer.resolve());
    const onData = (text: string): void => void errors.push(text);
    child.stderr.setEncoding('utf8').on('data', onData);
    // It may end before it reads the request.
    child.stdin.on('error', () => {});
    child.stdin.end(conversation.request);
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    try {
      await Promise.race([answer.promise, exit]);
      // A server that it has started may keep its pipes open.
      const hasAnswer = conversation.result !== null;
      await withTimeout(OUTPUT_GRACE, hasAnswer ? exit : Promise.all([end, exit]));
      const { result } = conversation;
      if (result !== null) return result;
      const [code, signalName] = (await exit) as [number | null, NodeJS.Signals | null];
      const trace = lastLines(errors.join(''));
      throw new ControllerError(endOf(code, signalName, trace), trace);
    } catch (error) {
      if (error instanceof ControllerError) throw error;
      const message = `The controller cannot be run by ${python}: ${describeSystemError(error)}`;
      throw new EnvironmentError('start_failed', message, { cause: error });
    } finally {
      signal.removeEventListener('abort', kill);
      for (const line of errors.join('').split('\n')) if (line !== '') log(line);
      // A server that the call has started may keep writing. If nothing read its output, it would block.
      child.stdout.removeAllListeners('data').resume();
      child.stderr.off('data', onData).resume();
    }
  };
  return {
    invoke,
    ownPath: (path) => {
      const below = relative(folder, path);
      return below.startsWith('..') ? path : below.split(sep).join('/');
    },
    close: async () => {
      await guard.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** Why the process of a call did not answer. `trace`: the end of its output. */
export function endOf(code: number | null, signal: string | null, trace: string): string {
  const lastLine = trace.split('\n').at(-1) ?? '';
  const detail = lastLine === '' ? '' : `: ${lastLine}`;
  return signal === null
    ? `the controller's process exited before it answered (exit code ${code})${detail}`
    : `the controller's process was terminated (${signal})${detail}`;
}

function startFailure(message: string): EnvironmentError {
  return new EnvironmentError('start_failed', message);
}
