import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ServerError } from '../placement.ts';

/** Time limit of a request, in seconds. */
const REQUEST_LIMIT = 30;
/** How much of what kubectl says on its error output is kept. */
const MAX_ERROR = 2_000;

/**
 * The user's `kubectl`, so that their configuration and ways to sign in apply. All arguments are arrays, and no shell is used.
 */
export class Kubectl {
  readonly #common: readonly string[];

  readonly #limit: string;

  /**
   * @param namespace null: the one of the context
   * @param limit time limit of a request, in seconds
   */
  constructor(namespace: string | null, limit = REQUEST_LIMIT) {
    this.#common = namespace === null ? [] : [`--namespace=${namespace}`];
    this.#limit = `--request-timeout=${limit}s`;
  }

  /** Resolves with the output. Rejects with `ServerError`. */
  async run(args: readonly string[], input?: string): Promise<string> {
    const child = this.#spawn([this.#limit, ...args]);
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = `${errors}${text}`.slice(-MAX_ERROR);
    });
    child.stdin.end(input);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(notStarted(error)));
      child.once('close', resolve);
    });
    if (code !== 0) throw failure(args[0] ?? '', errors.trim() || `it ended with exit code ${code}`);
    return output;
  }

  /** Creates objects. Resolves with what the cluster made of them. */
  async create(...items: readonly object[]): Promise<readonly unknown[]> {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    // kubectl would get all types of the cluster to check the objects, which the cluster checks anyway.
    const output = await this.run(['create', '--filename=-', '--output=json', '--validate=false'], list);
    // It prints them one after the other.
    return output.split(/(?<=^\})\n(?=\{)/m).map((text) => JSON.parse(text) as unknown);
  }

  get(...args: readonly string[]): Promise<unknown> {
    return this.json('get', ...args);
  }

  /** What a command prints as JSON. */
  async json(...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.run([...args, '--output=json']));
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
    // kubectl has ended, which its exit code tells.
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

/** What kubectl has said, as an error. */
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
