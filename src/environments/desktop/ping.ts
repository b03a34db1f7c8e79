import { setTimeout as pause } from 'node:timers/promises';
import { patient } from '../../base/patience.ts';
import type { Connection } from './connection.ts';

/** How long to wait for the answer of a program that is busy, in ms. */
const ANSWER_LIMIT = patient(2_000);
/** The interval in ms of checks whether the window was closed, after which no answer comes. */
const LOOK = 50;
/** `SubstructureNotify` of the X11 protocol. Answers arrive with it. */
const SUBSTRUCTURE_NOTIFY = 1 << 19;

/** Waits until the program of the active window answers, for 2 s at most. Some programs, such as xterm, never do. */
export type Ping = () => Promise<void>;

/**
 * Prepares to ping programs (`_NET_WM_PING`, EWMH 1.5). A program answers after it has processed the input that it received
 * before, however busy the machine is.
 */
export async function openPing(connection: Connection): Promise<Ping> {
  const { x, root } = connection;
  const [protocols, type] = await Promise.all([connection.atom('WM_PROTOCOLS'), connection.atom('_NET_WM_PING')]);
  x.ChangeWindowAttributes(root, { eventMask: SUBSTRUCTURE_NOTIFY });
  /** The pings that no program has answered yet, by number. */
  const waiting = new Map<number, () => void>();
  /** Windows whose last ping was not answered in time. Nothing waits for them until they answer. */
  const silent = new Set<number>();
  let last = 0;
  connection.listen(({ name, message_type, data: [ping, number = 0, window = 0] = [] }) => {
    if (name !== 'ClientMessage' || message_type !== protocols || ping !== type) return;
    silent.delete(window);
    waiting.get(number)?.();
  });
  // False for a closed window, too.
  const supportsPing = async (window: number): Promise<boolean> =>
    (await connection.numbers(window, 'WM_PROTOCOLS')).includes(type);

  return async () => {
    const [window = 0] = await connection.numbers(root, '_NET_ACTIVE_WINDOW');
    if (window === 0 || !(await supportsPing(window))) return;
    last += 1;
    const number = last;
    const answer = new Promise<true>((resolve) => waiting.set(number, () => resolve(true)));
    // The program sends back the whole message.
    x.SendClientMessage(window, window, protocols, 32, [type, number, window], 0);
    const deadline = performance.now() + ANSWER_LIMIT;
    while (!silent.has(window)) {
      if ((await Promise.race([answer, pause(LOOK, false)])) || !(await supportsPing(window))) break;
      if (performance.now() > deadline) silent.add(window);
    }
    waiting.delete(number);
  };
}
