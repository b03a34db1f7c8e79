import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RELAY } from './hello.ts';
import { runLane } from './lane.ts';
import { Relay } from './relay.ts';

/** How long a lane looks for the relay, in ms: a new network takes its time, a relay that has gone does not come back. */
const PATIENCE = { first: 60_000, later: 10_000 };
/** Swarm starts a lane again that ends with this exit code, and not one that ends with 0. */
const AGAIN = 1;
/** The prefix of variables for the lane itself. */
const PREFIX = 'LANE_';

const log = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * `lane.js relay [PORT]`: joins lanes to the owner, on its standard streams.
 * `lane.js lane [--once] PROGRAM...`: offers PROGRAM, an environment server, to the owner.
 */
async function main(): Promise<void> {
  const [role, ...words] = process.argv.slice(2);
  if (role === 'relay') {
    const port = Number(words[0] ?? RELAY.port);
    const relay = new Relay({ input: process.stdin, output: process.stdout, port, log, ended: () => process.exit(0) });
    await relay.listening();
    return;
  }
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  const own = (name: string): string => process.env[`${PREFIX}${name}`] ?? '';
  // The server and what it runs do not know the secret.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith(PREFIX)));
  const isOnce = words[0] === '--once';
  const [command = '', ...args] = isOnce ? words.slice(1) : words;
  const outcome = await runLane({
    relay: relayAt(own('RELAY')),
    introduction: {
      secret: own('SECRET'),
      service: own('SERVICE'),
      task: own('TASK'),
      node: own('NODE'),
      slot: own('SLOT'),
    },
    command,
    args,
    env: { ...env, HOME: makeHome(own('USER')) },
    once: isOnce,
    patience: PATIENCE,
    signal: stop.signal,
    log,
  });
  process.exit(outcome === 'used' ? AGAIN : 0);
}

/** The relay at `HOST:PORT`; if that is empty, where a swarm has it. */
function relayAt(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  return at === -1 ? RELAY : { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}

/** Makes a home folder that only the user of the server, `UID:GID`, may enter. */
function makeHome(user: string): string {
  const [uid = Number.NaN, gid = Number.NaN] = user.split(':').map(Number);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    process.setegid?.(gid);
    process.seteuid?.(uid);
  }
  const home = join(tmpdir(), 'home');
  mkdirSync(home, { mode: 0o700 });
  if (isRoot) {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
  return home;
}

void main();
