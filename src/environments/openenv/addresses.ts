/** The addresses of an OpenEnv server. */
export interface Addresses {
  /** Without a slash at the end: `http://127.0.0.1:8000/prefix`. */
  readonly http: string;
  /** Where sessions are: `ws://127.0.0.1:8000/prefix/ws`. */
  readonly sessions: string;
}

/** The addresses of a server by one of them, with the scheme of HTTP or of WebSocket, with or without `/ws`. */
export function addressesOf(url: string): Addresses {
  const { protocol, username, password, host, pathname } = new URL(url);
  const s = protocol === 'https:' || protocol === 'wss:' ? 's' : '';
  const user = username === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`;
  const path = pathname.replace(/\/+$/, '').replace(/\/ws$/, '');
  return { http: `http${s}://${user}${host}${path}`, sessions: `ws${s}://${user}${host}${path}/ws` };
}
