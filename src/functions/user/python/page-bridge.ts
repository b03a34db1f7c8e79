import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import type { WebSocket } from 'ws';
import * as z from 'zod';

/** The one page that is shown, by the name that its session has here. */
const PAGE = 'page';

const messageSchema = z.object({
  id: z.number(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  sessionId: z.string().optional(),
});
type Message = z.infer<typeof messageSchema>;

/** What is asked of the browser about a context, and what the page answers the same of its own. */
const OF_CONTEXT: Readonly<Record<string, string>> = {
  'Browser.getVersion': 'Browser.getVersion',
  'Storage.getCookies': 'Network.getAllCookies',
  'Storage.setCookies': 'Network.setCookies',
  'Storage.clearCookies': 'Network.clearBrowserCookies',
};
/** What Playwright tells every browser it comes to; here the browser is not its own. */
const PASSED_OVER = new Set(['Browser.setDownloadBehavior', 'Target.detachFromTarget', 'Browser.close']);

/** Shows one live page to another client of the Chrome DevTools Protocol, and nothing else of its browser. */
export interface PageBridge {
  /** For Playwright's `connect_over_cdp`: a socket in a folder of our own, under a secret path. No port. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * A browser whose only page is this one, for Playwright's `connect_over_cdp`. What it asks of the page goes through the
 * page's own connection; frames that have a process of their own stay out of sight.
 */
export async function bridgePage(page: Page): Promise<PageBridge> {
  const { WebSocketServer } = await import('ws');
  const session = await page.context().newCDPSession(page);
  const folder = await mkdtemp(join(tmpdir(), 'py-'));
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${randomBytes(16).toString('hex')}` : join(folder, 's');
  const secret = `/${randomBytes(24).toString('base64url')}`;
  const { targetInfo } = await session.send('Target.getTargetInfo');
  const http = createServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ server: http, path: secret });
  sockets.on('connection', (socket) => serve(socket, session, targetInfo));
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(path, resolve);
  });
  return {
    endpoint: `ws+unix:${path}:${secret}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      http.close();
      // A page that has gone has taken its session along.
      await session.detach().catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function serve(socket: WebSocket, session: CDPSession, targetInfo: object): void {
  const say = (message: object): void => socket.send(JSON.stringify(message));
  session.on('event', ({ method, params }) => say({ method, params, sessionId: PAGE }));
  socket.on('error', () => socket.terminate());
  socket.on('message', async (data) => {
    const read = messageSchema.safeParse(JSON.parse(String(data)));
    if (!read.success) return socket.terminate();
    const { id, method, sessionId } = read.data;
    const about = sessionId === undefined ? { id } : { id, sessionId };
    try {
      if (method === 'Target.setAutoAttach' && sessionId === undefined) {
        const attached = { sessionId: PAGE, targetInfo: { ...targetInfo, attached: true }, waitingForDebugger: false };
        say({ method: 'Target.attachedToTarget', params: attached });
      }
      say({ ...about, result: (await answered(read.data, session, targetInfo)) ?? {} });
    } catch (error) {
      say({ ...about, error: { code: -32_000, message: (error as Error).message } });
    }
  });
}

async function answered({ method, params, sessionId }: Message, session: CDPSession, targetInfo: object) {
  if (method === 'Target.setAutoAttach' || PASSED_OVER.has(method)) return {};
  if (method === 'Target.getTargetInfo') return { targetInfo };
  const ofPage = sessionId === PAGE && !/^(?:Target|Browser)\./.test(method);
  const asked = ofPage ? method : Object.hasOwn(OF_CONTEXT, method) ? OF_CONTEXT[method] : undefined;
  if (asked === undefined) throw new Error(`${method} is not for functions: they have this one page`);
  const { browserContextId: _, ...rest } = params ?? {};
  return session.send(asked as 'Page.enable', rest as Record<string, never>);
}
