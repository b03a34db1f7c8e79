import type { Browser } from 'playwright-core';
import type { Json } from '../../base/json.ts';
import { patient } from '../../base/patience.ts';
import type { Task } from '../../tasks/task.ts';
import { BrowserEnvironment } from '../browser/environment.ts';
import { connectToBrowser } from '../browser/launch/connect.ts';
import type { Capability, Surface } from './capability.ts';
import { openLocalSocket } from './local-socket.ts';
import { Tunnel } from './tunnel.ts';

/** Time limit for a connection to the browser, in ms. */
const CONNECT_LIMIT = patient(30_000);

/** The pages of an environment's browser. Rejects with the reason if they cannot be reached. */
export async function openPages(
  address: string,
  capability: Capability,
  task: Task,
  log: (text: string) => void,
): Promise<Surface> {
  const { path, target } = await locate(address, capability);
  const browser = await connect(address, capability.name, path);
  const environment = new BrowserEnvironment({ browser: async () => browser, log });
  const close = async (): Promise<void> => {
    await environment.close();
    // Disconnects from the browser, which continues to run.
    await browser.close();
  };
  try {
    await environment.borrow(target, task);
  } catch (error) {
    await close();
    throw error;
  }
  return { offer: 'page', environment, broken: environment.broken, close };
}

/**
 * The path of the browser's own endpoint, and the id of the page to act on: the one that the environment names, otherwise the
 * one that was used last, as in HUD's client.
 */
async function locate(
  address: string,
  { name, url, params }: Capability,
): Promise<{ readonly path: string; readonly target: string | null }> {
  const { pathname } = new URL(url);
  const targetId = /^\/devtools\/page\/([^/]+)$/.exec(pathname)?.[1] ?? params['target_id'];
  const target = typeof targetId === 'string' ? targetId : null;
  if (pathname.startsWith('/devtools/browser/')) return { path: pathname, target };
  const tunnel = new Tunnel(address, name);
  const get = async (path: string): Promise<Json> => {
    const late = AbortSignal.timeout(CONNECT_LIMIT);
    try {
      // Chromium answers only requests to names of this machine.
      const response = await tunnel.fetch(`http://localhost${path}`, { signal: late });
      if (!response.ok) throw new Error(`${path} was answered with status ${response.status}`);
      return (await response.json()) as Json;
    } catch (error) {
      if (!late.aborted) throw error;
      throw new Error(`it did not answer ${path} within ${CONNECT_LIMIT / 1000} s`, { cause: error });
    }
  };
  try {
    const { webSocketDebuggerUrl: endpoint } = (await get('/json/version')) as { webSocketDebuggerUrl?: string };
    if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) throw new Error('it is no browser with DevTools');
    if (target !== null) return { path: new URL(endpoint).pathname, target };
    const pages = (await get('/json/list')) as readonly { readonly id?: string; readonly type?: string }[];
    return { path: new URL(endpoint).pathname, target: pages.find(({ type }) => type === 'page')?.id ?? null };
  } finally {
    tunnel.close();
  }
}

/**
 * Connects Playwright, which needs an address: that of a socket file in a folder of this user. The file is removed afterwards,
 * so that no other program can reach the browser through it.
 */
async function connect(address: string, capability: string, path: string): Promise<Browser> {
  const socket = await openLocalSocket(address, capability);
  try {
    return await connectToBrowser(`ws+unix:${socket.path}:${path}`, CONNECT_LIMIT);
  } catch (error) {
    throw socket.refusal() ?? error;
  } finally {
    await socket.close();
  }
}
