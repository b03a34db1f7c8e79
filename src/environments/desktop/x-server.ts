import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Where X servers listen, whatever they are told. */
const SOCKETS = '/tmp/.X11-unix';
/** How long an X server may take to start, in ms. */
const START_LIMIT = 15_000;
/** How long one may take to end in good order, in ms. */
const END_LIMIT = 1_000;
/** A lock that is younger, in ms, is left alone. */
const YOUNG = 60_000;
const SCREEN = '1280x800';
/** In an authority file: of any address and display (Xauth(7)). */
const WILD = 0xffff;

/** An X server for one desktop: reached over a socket in the file system, by whoever has read the secret. */
export class XServer {
  /** `:7` */
  readonly display: string;
  /** The file with the secret, for `XAUTHORITY`. */
  readonly authority: string;
  /** Resolves with what it said last, once it has ended. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  /** Starts one. `folder`: for its files. Rejects with words. */
  static async start(folder: string, environment: NodeJS.ProcessEnv): Promise<XServer> {
    await mkdir(SOCKETS, { mode: 0o1777 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await clearDead();
    const authority = join(folder, 'authority');
    await writeFile(authority, authorityOf(randomBytes(16)), { mode: 0o600 });
    const child = spawn(
      'Xtigervnc',
      [
        ...['-geometry', SCREEN, '-depth', '24', '-displayfd', '3', '-auth', authority],
        // No TCP for X nor VNC, no key that repeats while it is held. Without its abstract socket (`-nolisten local`) a
        // server takes the number of another one away.
        ...['-nolisten', 'tcp', '-rfbport', '-1', '-rfbunixpath', join(folder, 'vnc')],
        ...['-SecurityTypes', 'None', '-AlwaysShared', '-noreset', '-r', '-nocursor'],
      ],
      { env: environment, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const words = lastWords(child.stderr as Readable);
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(`${words()} (${signal ?? `exit code ${code}`})`.trim()));
      child.once('error', (error) => resolve(error.message));
    });
    const tooLong = setTimeout(() => child.kill('SIGKILL'), START_LIMIT);
    const number = await Promise.race([
      firstLine(child.stdio[3] as Readable),
      ended.then((said) => Promise.reject(new Error(`the X server could not start: ${said}`))),
    ]).finally(() => clearTimeout(tooLong));
    return new XServer(child, `:${number}`, authority, ended);
  }

  private constructor(child: ChildProcess, display: string, authority: string, ended: Promise<string>) {
    this.#child = child;
    this.display = display;
    this.authority = authority;
    this.ended = ended;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Ends it: in good order, so that nothing of it stays in `/tmp`, where it can. */
  async close(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_LIMIT);
    await this.ended;
    clearTimeout(timer);
    // One that was killed leaves it; one that was not may have left its number to another by now.
    await clearUnserved(join(SOCKETS, `X${this.display.slice(1)}`));
  }
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

/** Removes the sockets that X servers left that were killed. */
async function clearDead(): Promise<void> {
  for (const name of await readdir(SOCKETS)) {
    const path = join(SOCKETS, name);
    // Another user's stay where they are, one that was just made may be about to be listened at, and one that has gone
    // meanwhile is what is wanted.
    const made = await lstat(path).catch(() => null);
    if (made === null || made.uid !== process.getuid?.() || Date.now() - made.mtimeMs < YOUNG) continue;
    await clearUnserved(path);
  }
}

async function clearUnserved(path: string): Promise<void> {
  const refused = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => resolve(false));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
    socket.once('connect', () => socket.destroy());
  });
  if (refused) await rm(path, { force: true });
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

/** Keeps the last of what a program says. */
export function lastWords(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text = (text + chunk).slice(-2000);
  });
  stream.on('error', () => undefined);
  return () => text.trim();
}
