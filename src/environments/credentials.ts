import { unescape as decodeLeniently } from 'node:querystring';

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
