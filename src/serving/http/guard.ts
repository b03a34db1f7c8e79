import type { IncomingHttpHeaders } from 'node:http';
import { bearsToken } from '../../base/bearer-token.ts';

/** Why a request is refused, and with which status. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly detail: string;
}

/** Who may use a server. */
export interface ServerTokens {
  /** Required of trainers, for every route; null: everyone on this machine is one. */
  readonly token: string | null;
  /** Lets agents use `/mcp`, where they act and learn no reward, and no other route. */
  readonly agentToken: string;
}

/** Whether a name or an address means this machine alone. */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Why a request is refused; null if it is not. A page in a browser must not reach the server: it always sends an `Origin`
 * where it could change or read something, and if it uses a name that resolves to this machine, it sends that as `Host`.
 */
export function refuse(
  headers: IncomingHttpHeaders,
  path: string,
  { token, agentToken }: ServerTokens,
  method = 'GET',
): Refusal | null {
  const { host, origin } = headers;
  const name = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d+)?$/i.exec(host ?? '')?.[1];
  if (token === null && (name === undefined || !isLoopback(name))) {
    return { status: 403, detail: 'Without a token only requests to a loopback address are answered.' };
  }
  if (origin !== undefined && !isOwn(origin, host)) {
    return { status: 403, detail: 'Requests of web pages are not answered.' };
  }
  // Its requests are read first, because OpenEnv's validation sends one that is none.
  if (token === null && method === 'POST' && path === '/mcp') return null;
  if (/^\/mcp\/*$/.test(path)) return refuseTools(headers, { token, agentToken });
  // Programs that start the server wait for this answer, and it reveals nothing.
  if (token === null || path === '/health' || bearsToken(headers, token)) return null;
  return { status: 401, detail: 'Send the token of the server as "Authorization: Bearer TOKEN".' };
}

/** Why a request for tools is refused, which always needs a token; null if it is not. */
export function refuseTools(headers: IncomingHttpHeaders, { token, agentToken }: ServerTokens): Refusal | null {
  if (bearsToken(headers, agentToken) || (token !== null && bearsToken(headers, token))) return null;
  return { status: 401, detail: 'Send the token for agents, or that of the server, as "Authorization: Bearer TOKEN".' };
}

/** Whether an origin is the server itself: the clients of OpenEnv send none. */
function isOwn(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
