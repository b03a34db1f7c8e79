/// <reference path="./x11.d.ts" />
import {
  createClient,
  type Reply,
  type XClient,
  type XCursorImage,
  type XDamage,
  type XDisplay,
  type XEvent,
  type XFixes,
  type XTest,
} from 'x11';
import { patient } from '../../base/patience.ts';
import { withTimeout } from '../../base/timeout.ts';

/** The time limit of a request to the X server in ms. */
const ANSWER_LIMIT = patient(10_000);

const ANY_TYPE = 0;
const Z_PIXMAP = 2;
/** The maximum length of a property in units of four bytes. */
const WHOLE = 0x1fffffff;

/** The connection to an X server, which all operations share. */
export class Connection {
  readonly root: number;
  readonly width: number;
  readonly height: number;
  readonly x: XClient;
  readonly test: XTest;
  readonly damage: XDamage;
  readonly fixes: XFixes;
  readonly keycodes: { readonly first: number; readonly last: number };
  readonly #listeners = new Set<(event: XEvent) => void>();
  /** Rejects when the connection has ended; never resolves. */
  readonly #broken = Promise.withResolvers<never>();

  /** Connects to `:N`. `authority`: the file with the server's secret. */
  static async open(display: string, authority: string): Promise<Connection> {
    const previous = process.env['XAUTHORITY'];
    // The package reads only this variable.
    process.env['XAUTHORITY'] = authority;
    try {
      const server = await new Promise<XDisplay>((resolve, reject) => {
        const client = createClient({ display, shm: false }, settle(resolve, reject));
        client.on('error', (error) => reject(error ?? new Error('the X server does not respond')));
      });
      const [test, damage, fixes] = await Promise.all([
        new Promise<XTest>((resolve, reject) => server.client.require('xtest', settle(resolve, reject))),
        new Promise<XDamage>((resolve, reject) => server.client.require('damage', settle(resolve, reject))),
        new Promise<XFixes>((resolve, reject) => server.client.require('fixes', settle(resolve, reject))),
      ]);
      return new Connection(server, test, damage, fixes);
    } finally {
      if (previous === undefined) delete process.env['XAUTHORITY'];
      else process.env['XAUTHORITY'] = previous;
    }
  }

  private constructor(display: XDisplay, test: XTest, damage: XDamage, fixes: XFixes) {
    const [screen] = display.screen;
    if (screen === undefined) throw new Error('the X server has no screen');
    this.root = screen.root;
    this.width = screen.pixel_width;
    this.height = screen.pixel_height;
    this.x = display.client;
    this.test = test;
    this.damage = damage;
    this.fixes = fixes;
    this.keycodes = { first: display.min_keycode, last: display.max_keycode };
    // In the package, all connections share a table of atoms, although each server has its own.
    this.x.atoms = { ...this.x.atoms };
    this.#broken.promise.catch(() => undefined);
    this.x.on('event', (event) => {
      for (const listener of this.#listeners) listener(event);
    });
    const onEnd = (): void => this.#broken.reject(new Error('the connection to the X server has ended'));
    this.x.on('end', onEnd);
    // Protocol errors here, such as for closed windows, belong to requests that nothing waits for.
    this.x.on('error', () => undefined);
    this.x.stream.on('close', onEnd).on('error', onEnd);
  }

  /** Calls the listener with each event. Returns a function that stops listening. */
  listen(listener: (event: XEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the server has processed all requests so far. */
  sync(): Promise<void> {
    return this.#within(this.x.sync());
  }

  atom(name: string): Promise<number> {
    return this.ask((done) => this.x.InternAtom(false, name, done));
  }

  /** The bytes of a property; null if it does not exist or its window was closed. */
  async property(window: number, name: string): Promise<Buffer | null> {
    const atom = await this.atom(name);
    const property = await this.ask<{ readonly type: number; readonly data: Buffer }>((done) =>
      this.x.GetProperty(0, window, atom, ANY_TYPE, 0, WHOLE, done),
    ).catch(nullIfProtocolError);
    return property === null || property.type === 0 ? null : property.data;
  }

  /** A property with four-byte numbers: windows, atoms. */
  async numbers(window: number, name: string): Promise<readonly number[]> {
    const data = (await this.property(window, name)) ?? Buffer.alloc(0);
    return Array.from({ length: Math.floor(data.length / 4) }, (_, index) => data.readUInt32LE(index * 4));
  }

  /** The pixels of rows of the screen: one byte each for blue, green, red, and padding. */
  async pixels(top: number, height: number): Promise<Buffer> {
    const image = await this.ask<{ readonly data: Buffer }>((done) =>
      this.x.GetImage(Z_PIXMAP, this.root, 0, top, this.width, height, 0xffffffff, done),
    );
    return image.data;
  }

  /** The image and the position of the mouse pointer; null if the program that set the image was killed. */
  cursor(): Promise<XCursorImage | null> {
    return this.ask<XCursorImage>((done) => this.fixes.GetCursorImage(done)).catch(nullIfProtocolError);
  }

  /** Sends a request. Rejects with the server's error, or if the server has ended or does not respond. */
  ask<T>(request: (done: Reply<T>) => void): Promise<T> {
    return this.#within(new Promise<T>((resolve, reject) => request(settle(resolve, reject))));
  }

  close(): void {
    this.#listeners.clear();
    this.x.stream.destroy();
  }

  async #within<T>(promise: Promise<T>): Promise<T> {
    const reply = promise.then((value) => ({ value }));
    const answer = await withTimeout(ANSWER_LIMIT, Promise.race([reply, this.#broken.promise]));
    if (answer === null) throw new Error('the X server does not respond');
    return answer.value;
  }
}

/** For `catch`: null for the server's error for a request, such as for a closed window. Throws every other error. */
export function nullIfProtocolError(error: unknown): null {
  if (error instanceof Error && 'error' in error && typeof error.error === 'number') return null;
  throw error;
}

/** Settles a promise with a reply. Returns true, which marks an error as handled for the package. */
function settle<T>(resolve: (value: T) => void, reject: (error: Error) => void): Reply<T> {
  return (error, value) => {
    if (error === null || error === undefined) resolve(value);
    else reject(error);
    return true;
  };
}
