import { unescape as decodeLeniently } from 'node:querystring';

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

/** An address without its user name and password, for messages and for requests, which take them as a header. */
export function withoutCredentials(address: string): string {
  return address.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
}

/** The header for the user name and the password in an address. A `%` without a code in them is itself. */
export function credentialsOf(address: string): { readonly authorization?: string } {
  const { username, password } = new URL(address);
  if (username === '' && password === '') return {};
  const pair = `${decodeLeniently(username)}:${decodeLeniently(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
