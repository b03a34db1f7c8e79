import type { Json } from '../../../src/base/json.ts';
import type { AttachedPython } from '../../../src/placement/placement.ts';

/** Where Python stopped. `line` is that of the frame in which it did. */
export interface PythonStop {
  readonly reason: string;
  readonly line: number;
}

/**
 * An editor that sets breakpoints in a Python file, and continues after each stop when `stopped` resolves. Resolves when it
 * has sent what begins a session.
 */
export async function attachAt(
  path: string,
  lines: readonly number[],
  open: (listen: (message: Json) => void) => Promise<AttachedPython>,
  stopped: (stop: PythonStop) => Promise<void>,
): Promise<void> {
  const opened = Promise.withResolvers<AttachedPython>();
  let seq = 0;
  let reason = '';
  let threadId = 0;
  const say = async (command: string, args: Record<string, Json>): Promise<void> => {
    seq += 1;
    await (await opened.promise).send({ seq, type: 'request', command, arguments: args });
  };
  const listen = async (message: Json): Promise<void> => {
    const { event, command, body } = (message ?? {}) as {
      event?: string;
      command?: string;
      body?: Record<string, Json>;
    };
    if (command === 'initialize') await say('attach', { justMyCode: true });
    if (event === 'initialized') {
      await say('setBreakpoints', { source: { path }, breakpoints: lines.map((line) => ({ line })) });
      await say('configurationDone', {});
    }
    if (event === 'stopped') {
      reason = String(body?.['reason']);
      threadId = Number(body?.['threadId']);
      await say('stackTrace', { threadId, levels: 1 });
    }
    if (command === 'stackTrace') {
      const frames = (body?.['stackFrames'] ?? []) as unknown as readonly { readonly line: number }[];
      await stopped({ reason, line: frames[0]?.line ?? 0 });
      await say('continue', { threadId });
    }
  };
  opened.resolve(await open((message) => void listen(message)));
  await say('initialize', { adapterID: 'test', pathFormat: 'path' });
}
