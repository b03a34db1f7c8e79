import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { SUPERVISED, SUPERVISOR_SOCKET, supervisorRequest } from '../environments/workspace/agent-user.ts';
import { groupEnded, killGroup } from '../processes/groups.ts';
import { killAll } from '../processes/marks.ts';

/**
 * `supervisor.js SERVER_UID:SERVER_GID AGENT_ID PROGRAM...`: the first program of a container whose agent runs
 * commands. It runs as root with only the capabilities to change users and to end processes (SETUID, SETGID, KILL), and
 * isolates two users from each other: it starts PROGRAM, the environment server, as one, and the commands of the agent,
 * which the server requests, as the other.
 */
const [user = '', agentId = '', program = '', ...args] = process.argv.slice(2);
const [uid = Number.NaN, gid = Number.NaN] = user.split(':').map(Number);
const agent = Number(agentId);
if (![uid, gid, agent].every((id) => Number.isInteger(id) && id > 0) || agent === uid || agent === gid) {
  process.stderr.write('The supervisor needs UID:GID of the server, another id for the agent, and a program.\n');
  process.exit(2);
}

/** Maximum length of a request line, in characters. */
const MAX_REQUEST = 4 * 1024 * 1024;

/**
 * Changes to the directory as the user of the agent, because root without capabilities may not enter it. Files are
 * accessible to the server. The kernel ends these processes first if memory runs out.
 */
const ENTER = 'echo 1000 > /proc/self/oom_score_adj; umask 000 && cd -- "$1" && shift && exec "$@"';

const listener = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  let buffer = '';
  const onData = (chunk: Buffer): void => {
    // Latin-1 preserves bytes: the input of the program follows the line.
    buffer += chunk.toString('latin1');
    const end = buffer.indexOf('\n');
    if (end === -1) {
      if (buffer.length > MAX_REQUEST) socket.destroy();
      return;
    }
    socket.off('data', onData);
    socket.pause();
    try {
      const line = Buffer.from(buffer.slice(0, end), 'latin1').toString('utf8');
      answer(socket, supervisorRequest.parse(JSON.parse(line)), Buffer.from(buffer.slice(end + 1), 'latin1'));
    } catch (error) {
      send(socket, { error: 'refused', message: (error as Error).message });
      socket.end();
    }
  };
  socket.on('data', onData);
});

/** The process groups of running programs, by the ids of their requests. */
const groups = new Map<string, number>();

function answer(socket: Socket, request: ReturnType<typeof supervisorRequest.parse>, firstInput: Buffer): void {
  if ('end' in request) {
    if (!killAll(isAgents)) throw new Error('the processes of the agent could not be ended');
    confirm(socket);
    return;
  }
  if ('kill' in request) {
    const group = groups.get(request.kill);
    if (group === undefined) throw new Error('the program is not running');
    groups.delete(request.kill);
    killGroup(group);
    confirm(socket);
    return;
  }
  const child = spawn('/bin/sh', ['-c', ENTER, 'sh', request.cwd, request.program, ...request.args], {
    uid: agent,
    gid: agent,
    cwd: '/',
    env: request.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { pid } = child;
  if (pid !== undefined) groups.set(request.id, pid);
  child.once('error', (error: NodeJS.ErrnoException) => {
    send(socket, { error: error.code ?? 'failed', message: error.message });
    socket.end();
  });
  const whenExited = new Promise<void>((resolve) => {
    child.once('exit', async (code, signal) => {
      const isKilled = !groups.delete(request.id);
      if (isKilled && pid !== undefined) await groupEnded(pid);
      send(socket, { code, signal });
      resolve();
    });
  });
  child.stdout.on('data', (chunk: Buffer) => {
    if (send(socket, { output: chunk.toString('base64') })) return;
    child.stdout.pause();
    socket.once('drain', () => child.stdout.resume());
  });
  child.stdout.once('close', () => void whenExited.then(() => socket.end()));
  child.stdin.on('error', () => {
    // The program has ended or closed its input early.
  });
  child.stdin.write(firstInput);
  socket.pipe(child.stdin);
  socket.once('close', () => {
    child.stdout.resume();
    // The client does not wait for the program.
    if (pid !== undefined && groups.delete(request.id)) killGroup(pid);
  });
}

function confirm(socket: Socket): void {
  send(socket, { code: 0, signal: null });
  socket.end();
}

function send(socket: Socket, line: object): boolean {
  return socket.destroyed || socket.write(`${JSON.stringify(line)}\n`);
}

/** Whether a process belongs to the agent and is running. */
function isAgents(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return !/^State:\s+[ZX]/m.test(status) && Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === agent;
  } catch {
    // The process has ended.
    return false;
  }
}

/** Creates the socket with access for the user of the server only. */
function listen(then: () => void): void {
  const umask = process.umask(0o117);
  process.setegid?.(gid);
  listener.listen(SUPERVISOR_SOCKET, () => {
    process.setegid?.(0);
    process.umask(umask);
    then();
  });
}

listen(() => {
  const server = spawn(program, args, {
    uid,
    gid,
    stdio: 'inherit',
    env: { ...process.env, [SUPERVISED]: '1' },
  });
  server.once('error', (error) => {
    process.stderr.write(`The environment server could not start: ${error.message}\n`);
    process.exit(1);
  });
  // The container ends with its first process.
  server.once('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 137));
});
