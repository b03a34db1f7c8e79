/// <reference path="./x11.d.ts" />
import type { XEvent } from 'x11';
import { patient } from '../../base/patience.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { Connection } from './connection.ts';

/** The time limit for the owner of the clipboard to send its content, in ms. */
const ANSWER_LIMIT = patient(2_000);

/** The text in the clipboard, or null. */
export async function readClipboard(connection: Connection): Promise<string | null> {
  const { x, root } = connection;
  const [clipboard, text, property] = await Promise.all([
    connection.atom('CLIPBOARD'),
    connection.atom('UTF8_STRING'),
    connection.atom('TASKWRIGHT_CLIPBOARD'),
  ]);
  const window = x.AllocID();
  x.CreateWindow(window, root, 0, 0, 1, 1);
  const answer = Promise.withResolvers<XEvent>();
  const stop = connection.listen((event) => {
    if (event.name === 'SelectionNotify') answer.resolve(event);
  });
  try {
    x.ConvertSelection(window, clipboard, text, property, 0);
    const event = await withTimeout(ANSWER_LIMIT, answer.promise);
    if (event === null) throw new Error('the program that owns the clipboard does not respond');
    // Without a text.
    if ((event.property ?? 0) === 0) return null;
    return (await connection.property(window, 'TASKWRIGHT_CLIPBOARD'))?.toString('utf8') ?? null;
  } finally {
    stop();
  }
}
