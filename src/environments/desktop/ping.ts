import { setTimeout as pause } from 'node:timers/promises';
import type { XEvent } from 'x11';
import { patient } from '../../base/patience.ts';
import type { Connection } from './connection.ts';

/** How long to wait for the answer of a program that is busy, in ms. */
const ANSWER_LIMIT = patient(2_000);
/** The interval in ms of checks whether the window was closed, after which no answer comes. */
const LOOK = 50;
/** `SubstructureNotify` of the X11 protocol. Answers arrive with it. */
const SUBSTRUCTURE_NOTIFY = 1 << 19;

/**
 * Pings programs (`_NET_WM_PING`, EWMH 1.5). A program answers after it has processed the input that it received before,
 * however busy the machine is.
 */
export class Ping {
  readonly #connection: Connection;
  readonly #protocols: number;
  readonly #type: number;
  /** The pings that no program has answered yet, by number. */
  readonly #waiting = new Map<number, () => void>();
  /** Windows whose last ping was not answered in time. Nothing waits for them until they answer. */
  readonly #silent = new Set<number>();
  #last = 0;

  static async open(connection: Connection): Promise<Ping> {
    const [protocols, type] = await Promise.all([connection.atom('WM_PROTOCOLS'), connection.atom('_NET_WM_PING')]);
    connection.x.ChangeWindowAttributes(connection.root, { eventMask: SUBSTRUCTURE_NOTIFY });
    return new Ping(connection, protocols, type);
  }

  private constructor(connection: Connection, protocols: number, type: number) {
    this.#connection = connection;
    this.#protocols = protocols;
    this.#type = type;
    connection.listen((event) => this.#take(event));
  }

  /** Waits until the program of the active window answers, for 2 s at most. Some programs, such as xterm, never do. */
  async activeWindow(): Promise<void> {
    const [window = 0] = await this.#connection.numbers(this.#connection.root, '_NET_ACTIVE_WINDOW');
    if (window === 0 || !(await this.#supports(window))) return;
    this.#last += 1;
    const number = this.#last;
    const answer = new Promise<true>((resolve) => this.#waiting.set(number, () => resolve(true)));
    // The program sends back the whole message.
    this.#connection.x.SendClientMessage(window, window, this.#protocols, 32, [this.#type, number, window], 0);
    const deadline = performance.now() + ANSWER_LIMIT;
    while (!this.#silent.has(window)) {
      if ((await Promise.race([answer, pause(LOOK, false)])) || !(await this.#supports(window))) break;
      if (performance.now() > deadline) this.#silent.add(window);
    }
    this.#waiting.delete(number);
  }

  /** False for a closed window, too. */
  async #supports(window: number): Promise<boolean> {
    return (await this.#connection.numbers(window, 'WM_PROTOCOLS')).includes(this.#type);
  }

  #take({ name, message_type: type, data: [ping, number = 0, window = 0] = [] }: XEvent): void {
    if (name !== 'ClientMessage' || type !== this.#protocols || ping !== this.#type) return;
    this.#silent.delete(window);
    this.#waiting.get(number)?.();
  }
}
