import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { patient } from '../../base/patience.ts';

/** The folder of X server sockets, which is not configurable. */
const SOCKETS = '/tmp/.X11-unix';
/** The time limit for the start of an X server in ms. */
const START_LIMIT = patient(15_000);
/** The time limit for a graceful end in ms. */
const END_LIMIT = 1_000;
/** The minimum age of a stale lock in ms. */
const YOUNG = 60_000;
const SCREEN = '1280x800';
/** The family in an authority file for any address and display (Xauth(7)). */
const WILD = 0xffff;

/** The X server of a desktop, which is reached over a socket file with a secret. */
export interface XServer {
  /** `:7` */
  readonly display: string;
  /** The file with the secret, for `XAUTHORITY`. */
  readonly authority: string;
  /** Resolves with its last output when it has ended. */
  readonly exit: Promise<string>;
  /** Ends it, gracefully if possible, so that it removes its files in `/tmp`. */
  close(): Promise<void>;
}

/** Starts an X server. `folder`: for its files. */
export async function startXServer(folder: string, environment: NodeJS.ProcessEnv): Promise<XServer> {
  await mkdir(SOCKETS, { mode: 0o1777 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await clearStale();
  const authority = join(folder, 'authority');
  await writeFile(authority, authorityOf(randomBytes(16)), { mode: 0o600 });
  const child = spawn(
    'Xtigervnc',
    [
      ...['-geometry', SCREEN, '-depth', '24', '-displayfd', '3', '-auth', authority],
      // No TCP for X or VNC, and no key repeat. The abstract socket is needed: with `-nolisten local`, a server can
      // take the display number of another one.
      ...['-nolisten', 'tcp', '-rfbport', '-1', '-rfbunixpath', join(folder, 'vnc')],
      ...['-SecurityTypes', 'None', '-AlwaysShared', '-noreset', '-r', '-nocursor'],
    ],
    { env: environment, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const output = lastOutput(child.stderr as Readable);
  const exit = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(`${output()} (${signal ?? `exit code ${code}`})`.trim()));
    child.once('error', (error) => resolve(error.message));
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT);
  const number = await Promise.race([
    firstLine(child.stdio[3] as Readable),
    exit.then((text) => Promise.reject(new Error(`the X server could not start: ${text}`))),
  ]).finally(() => clearTimeout(timer));
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT);
    await exit;
    clearTimeout(timer);
    // A killed server leaves its socket. Otherwise, another server may already use the number.
    await clearUnserved(join(SOCKETS, `X${number}`));
  };
  return { display: `:${number}`, authority, exit, close };
}

/** One entry of an authority file: family, address, display, name and data of a secret. */
function authorityOf(secret: Buffer): Buffer {
  const field = (data: Buffer): Buffer => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(data.length);
    return Buffer.concat([length, data]);
  };
  const family = Buffer.alloc(2);
  family.writeUInt16BE(WILD);
  const nothing = Buffer.alloc(0);
  const name = Buffer.from('MIT-MAGIC-COOKIE-1');
  return Buffer.concat([family, ...[nothing, nothing, name, secret].map(field)]);
}

/** Removes the sockets of killed X servers. */
async function clearStale(): Promise<void> {
  for (const name of await readdir(SOCKETS)) {
    const path = join(SOCKETS, name);
    // Sockets of other users stay, and new ones, whose server may still be starting. Another process may have removed it.
    const stats = await lstat(path).catch(() => null);
    if (stats === null || stats.uid !== process.getuid?.() || Date.now() - stats.mtimeMs < YOUNG) continue;
    await clearUnserved(path);
  }
}

async function clearUnserved(path: string): Promise<void> {
  const isUnserved = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => resolve(false));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
    socket.once('connect', () => socket.destroy());
  });
  if (isUnserved) await rm(path, { force: true });
}

function firstLine(stream: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.trim());
    });
    stream.once('error', reject);
  });
}

/** Reads a stream. Returns a function that returns the last output. */
export function lastOutput(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text = (text + chunk).slice(-2000);
  });
  stream.on('error', () => undefined);
  return () => text.trim();
}
