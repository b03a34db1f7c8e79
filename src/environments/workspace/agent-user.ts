import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import * as z from 'zod';
import type { Launched, Launcher, LaunchOptions } from './launcher.ts';

/** The socket of a container's supervisor. Only the environment server's user may connect. */
export const SUPERVISOR_SOCKET = '/run/taskwright-supervisor.sock';
/** Home directory of the agent's user in a container. */
export const AGENT_HOME = '/home/agent';
/** Variables that only the server needs, such as its folder for temporary files. */
const SERVER_ONLY = /^(?:TASKWRIGHT_.*|TMPDIR|TMP|TEMP|BREAKPAD_DUMP_LOCATION)$/;
/** Set by the supervisor for the environment server. */
export const SUPERVISED = 'TASKWRIGHT_SUPERVISED';

/**
 * The first line of a connection to the supervisor, as JSON: a program to start, with the rest of the input as its
 * standard input; `kill` with the id of a program, to kill its process group; or `end`, to end all processes of the
 * agent's user.
 */
export const supervisorRequest = z.union([
  z.strictObject({
    id: z.uuid(),
    program: z.string(),
    args: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
  }),
  z.strictObject({ kill: z.uuid() }),
  z.strictObject({ end: z.literal(true) }),
]);

/** The lines of the supervisor's answer, as JSON. `output` is base64. A killed program has ended when its group has. */
export const supervisorAnswer = z.union([
  z.strictObject({ output: z.string() }),
  z.strictObject({ code: z.int().nullable(), signal: z.string().nullable() }),
  z.strictObject({ error: z.string(), message: z.string() }),
]);

/** Whether this process has a supervisor, which runs the agent's commands as another user. */
export function isSupervised(): boolean {
  return process.env[SUPERVISED] === '1';
}

/** Starts programs as the agent's user of a container, who can access neither the server nor the task. */
export class AgentUser implements Launcher {
  readonly isolated = true;

  start(program: string, args: readonly string[], { cwd, env }: LaunchOptions): Launched {
    const id = randomUUID();
    const socket = connect({ path: SUPERVISOR_SOCKET, allowHalfOpen: true });
    const output = new PassThrough();
    const exit = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>();
    // Whoever waits for the end gets the error; nobody has to.
    exit.promise.catch(() => {});
    const variables = Object.entries({
      ...env,
      HOME: env['HOME'] === process.env['HOME'] ? AGENT_HOME : env['HOME'],
    }).filter(([name, value]) => value !== undefined && !SERVER_ONLY.test(name));
    socket.write(`${JSON.stringify({ id, program, args, cwd, env: Object.fromEntries(variables) })}\n`);
    readAnswers(socket, (answer) => {
      if ('output' in answer) output.write(Buffer.from(answer.output, 'base64'));
      else if ('error' in answer) exit.reject(Object.assign(new Error(answer.message), { code: answer.error }));
      else exit.resolve({ code: answer.code, signal: answer.signal as NodeJS.Signals | null });
    });
    socket.on('error', (error) => exit.reject(error));
    socket.on('close', () => {
      exit.reject(new Error('the supervisor of the container has ended'));
      output.end();
    });
    return {
      input: socket,
      output,
      exit: exit.promise,
      kill: () => {
        ask({ kill: id }).catch(() => {
          // It has just ended, or was not started yet: the supervisor kills the group of a closed connection, too.
          exit.resolve({ code: null, signal: 'SIGKILL' });
          socket.destroy();
        });
      },
      unref: () => socket.unref(),
    };
  }

  async close(): Promise<void> {
    await ask({ end: true });
  }
}

/** Sends a request whose answer says only that it was done. */
async function ask(request: z.infer<typeof supervisorRequest>): Promise<void> {
  const socket = connect({ path: SUPERVISOR_SOCKET, allowHalfOpen: true });
  socket.write(`${JSON.stringify(request)}\n`);
  await new Promise<void>((resolve, reject) => {
    readAnswers(socket, (answer) => {
      if ('error' in answer) reject(new Error(answer.message));
      else resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the supervisor of the container has ended')));
  }).finally(() => socket.destroy());
}

function readAnswers(socket: NodeJS.ReadableStream, tell: (answer: z.infer<typeof supervisorAnswer>) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell(supervisorAnswer.parse(JSON.parse(line)));
  });
}
