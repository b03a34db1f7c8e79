import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import type { WebSocket } from 'ws';
import * as z from 'zod';

/** The session id of the one page. */
const PAGE = 'page';

const messageSchema = z.object({
  id: z.number(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  sessionId: z.string().optional(),
});
type Message = z.infer<typeof messageSchema>;

/** Requests to the browser about a context, and the equivalent requests to the page. */
const OF_CONTEXT: Readonly<Record<string, string>> = {
  'Browser.getVersion': 'Browser.getVersion',
  'Storage.getCookies': 'Network.getAllCookies',
  'Storage.setCookies': 'Network.setCookies',
  'Storage.clearCookies': 'Network.clearBrowserCookies',
};
/** Requests that Playwright sends to every browser, and that have no effect here. */
const IGNORED = new Set(['Browser.setDownloadBehavior', 'Target.detachFromTarget', 'Browser.close']);

/** Gives another client of the Chrome DevTools Protocol access to one live page, and to nothing else of its browser. */
export interface PageBridge {
  /** For Playwright's `connect_over_cdp`: a socket file with a secret path instead of a port. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * Presents a page as the only page of a browser, for Playwright's `connect_over_cdp`. Requests go through the page's
 * existing connection. Frames with their own process are not accessible.
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
      // The session of a closed page no longer exists.
      await session.detach().catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function serve(socket: WebSocket, session: CDPSession, targetInfo: object): void {
  const send = (message: object): void => socket.send(JSON.stringify(message));
  session.on('event', ({ method, params }) => send({ method, params, sessionId: PAGE }));
  socket.on('error', () => socket.terminate());
  socket.on('message', async (data) => {
    const read = messageSchema.safeParse(JSON.parse(String(data)));
    if (!read.success) return socket.terminate();
    const { id, method, sessionId } = read.data;
    const envelope = sessionId === undefined ? { id } : { id, sessionId };
    try {
      if (method === 'Target.setAutoAttach' && sessionId === undefined) {
        const event = { sessionId: PAGE, targetInfo: { ...targetInfo, attached: true }, waitingForDebugger: false };
        send({ method: 'Target.attachedToTarget', params: event });
      }
      send({ ...envelope, result: (await answer(read.data, session, targetInfo)) ?? {} });
    } catch (error) {
      send({ ...envelope, error: { code: -32_000, message: (error as Error).message } });
    }
  });
}

async function answer({ method, params, sessionId }: Message, session: CDPSession, targetInfo: object) {
  if (method === 'Target.setAutoAttach' || IGNORED.has(method)) return {};
  if (method === 'Target.getTargetInfo') return { targetInfo };
  const ofPage = sessionId === PAGE && !/^(?:Target|Browser)\./.test(method);
  const pageMethod = ofPage ? method : Object.hasOwn(OF_CONTEXT, method) ? OF_CONTEXT[method] : undefined;
  if (pageMethod === undefined)
    throw new Error(`${method} is not available to functions, which can access only this page`);
  const { browserContextId: _, ...rest } = params ?? {};
  return session.send(pageMethod as 'Page.enable', rest as Record<string, never>);
}
