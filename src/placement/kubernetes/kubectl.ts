import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { withLimit } from '../../base/timeout.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { ServerError } from '../placement.ts';

/** Time limit of a request, in seconds. */
const REQUEST_LIMIT = 30;
/** How much longer kubectl itself may take, in seconds: it may ask another program for the user's credentials. */
const EXTRA = 5;
/** Maximum length of the error output to store, in characters. */
const MAX_ERROR = 2_000;

/**
 * The user's `kubectl`, so that their configuration and ways to sign in apply. All arguments are arrays, and no shell is used.
 */
export class Kubectl {
  readonly #common: readonly string[];
  readonly #limit: number;

  /**
   * @param namespace null: the one of the context
   * @param limit time limit of a request, in seconds
   */
  constructor(namespace: string | null, limit = REQUEST_LIMIT) {
    this.#common = namespace === null ? [] : [`--namespace=${namespace}`];
    this.#limit = limit;
  }

  /** Resolves with the output. Rejects with `ServerError`, or with the reason of the signal. */
  async run(
    args: readonly string[],
    { input, signal }: { readonly input?: string; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<string> {
    signal?.throwIfAborted();
    const seconds = this.#limit + EXTRA;
    const child = this.#spawn([`--request-timeout=${this.#limit}s`, ...args]);
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = `${errors}${text}`.slice(-MAX_ERROR);
    });
    child.stdin.end(input);
    const exit = new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(notStarted(error)));
      child.once('close', resolve);
    });
    const untilExit = (stop: AbortSignal): Promise<number | null> =>
      untilAborted(exit, stop).catch((error: unknown) => {
        child.kill();
        // A program that it has started may keep them open.
        child.stdout.destroy();
        child.stderr.destroy();
        throw error;
      });
    const code = await withLimit(seconds * 1000, signal, untilExit, () => noAnswer(seconds));
    if (code !== 0) throw failure(args[0] ?? '', errors.trim() || `it ended with exit code ${code}`);
    return output;
  }

  /** Creates objects. Resolves with the objects as the cluster stores them. */
  async create(...items: readonly object[]): Promise<readonly unknown[]> {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    // kubectl would get all types of the cluster to check the objects, which the cluster checks anyway.
    const output = await this.run(['create', '--filename=-', '--output=json', '--validate=false'], { input: list });
    // It prints them one after the other.
    return output.split(/(?<=^\})\n(?=\{)/m).map((text) => JSON.parse(text) as unknown);
  }

  get(args: readonly string[], signal?: AbortSignal): Promise<unknown> {
    return this.json(['get', ...args], signal);
  }

  /** What a command prints as JSON. */
  async json(args: readonly string[], signal?: AbortSignal): Promise<unknown> {
    return JSON.parse(await this.run([...args, '--output=json'], { signal }));
  }

  /** Connects to the standard streams of a container. */
  attach(pod: string, container: string): ChildProcessByStdio<Writable, Readable, Readable> {
    // Ctrl+C in a terminal is not for it: runs end first.
    return this.#spawn(['attach', pod, `--container=${container}`, '--stdin', '--quiet'], process.platform !== 'win32');
  }

  #spawn(args: readonly string[], detached = false): ChildProcessByStdio<Writable, Readable, Readable> {
    const child = spawn('kubectl', [...this.#common, ...args], {
      ...{ stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true, detached },
    });
    // kubectl has ended, and its exit code is reported.
    child.stdin.on('error', () => {});
    return child;
  }
}

function notStarted(error: NodeJS.ErrnoException): ServerError {
  const message =
    error.code === 'ENOENT'
      ? 'kubectl was not found. Install it, and choose a cluster with “kubectl config use-context”.'
      : `kubectl could not be started: ${error.message}`;
  return new ServerError('kubernetes_missing', message, { cause: error });
}

function noAnswer(seconds: number): ServerError {
  const message = `kubectl did not answer within ${seconds} s. It may be waiting for a login: run “kubectl get pods” in a terminal.`;
  return new ServerError('kubernetes_missing', message);
}

/** The error output of kubectl as an error. */
export function failure(verb: string, errors: string): ServerError {
  if (/current-context|no configuration has been provided|context .* does not exist/i.test(errors)) {
    const message = `kubectl has no cluster: ${errors}. Choose one with “kubectl config use-context”.`;
    return new ServerError('kubernetes_missing', message);
  }
  if (/was refused|unable to connect|i\/o timeout|no such host|must be logged in|unauthorized/i.test(errors)) {
    return new ServerError('kubernetes_missing', `The Kubernetes cluster cannot be used: ${errors}`);
  }
  const permission = /forbidden/i.test(errors) ? '. docs/kubernetes.md lists the permissions that lanes need.' : '';
  return new ServerError('container_create_failed', `“kubectl ${verb}” failed: ${errors}${permission}`);
}
