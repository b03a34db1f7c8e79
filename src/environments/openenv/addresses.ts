/** The addresses of an OpenEnv server. */
export interface Addresses {
  /** Without a slash at the end: `http://127.0.0.1:8000/prefix`. */
  readonly http: string;
  /** Where sessions are: `ws://127.0.0.1:8000/prefix/ws`. */
  readonly sessions: string;
}

/** The addresses that belong to one that a user wrote: of HTTP or of WebSocket, with `/ws` or without. */
export function addressesOf(url: string): Addresses {
  const { protocol, username, password, host, pathname } = new URL(url);
  const secure = protocol === 'https:' || protocol === 'wss:';
  const user = username === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`;
  const path = pathname.replace(/\/+$/, '').replace(/\/ws$/, '');
  return {
    http: `http${secure ? 's' : ''}://${user}${host}${path}`,
    sessions: `ws${secure ? 's' : ''}://${user}${host}${path}/ws`,
  };
}
