import { isAbsolute } from 'node:path';

const PAGE_NAME = /\.(x?html?|json|svg|txt|css|m?js|png|jpe?g|gif|webp)$/i;

/** The scheme of an address, in lowercase; undefined if it has none. In `localhost:80`, a port follows the colon. */
export function schemeOf(address: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):(?!\d+(\/|$))/i.exec(address)?.[1]?.toLowerCase();
}

/** The path of a page file below the task folder for a URL path, or why it is refused. */
export function pagePath(pathname: string): { readonly path: string } | { readonly refusal: string } {
  let path: string;
  try {
    path = decodeURIComponent(pathname).replace(/^\/+/, '');
  } catch {
    return { refusal: 'the address is not encoded properly' };
  }
  if (path === '' || path.endsWith('/')) return { refusal: 'folders are not listed; name a page file' };
  // Includes what is a separator, a stream, or a device on some systems only.
  if (/[\\:\0]/.test(path) || isAbsolute(path)) return { refusal: 'the path is not below the task folder' };
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /[. ]$/.test(part))) {
    return { refusal: 'the path is not below the task folder' };
  }
  return { path };
}

/** Splits a relative address into the encoded path of a page file, and its query and fragment. */
export function splitPageAddress(address: string): { readonly path: string; readonly rest: string } {
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? [];
  return { path: encodePath(`/${path.replace(/^(\.?\/)+/, '')}`), rest };
}

/** Whether an address without a scheme is a site (`example.com/x`) if no page file has this name. */
export function looksLikeSite(address: string): boolean {
  const path = /^[^?#]*/.exec(address)?.[0] ?? '';
  const host = path.split('/')[0] ?? '';
  const isHost = /^(localhost|\[[0-9a-f:]+\]|[^\s/:]+\.[^\s/:]+)(:\d+)?$/i.test(host) && !host.startsWith('.');
  return isHost && !(PAGE_NAME.test(host) && !path.includes('/')) && host !== '..';
}

/** The page file for an address, relative to the folder of the task file; null if the address may be a site. */
export function pageFileOf(address: string): string | null {
  const text = address.trim();
  if (/\p{Surrogate}/u.test(text) || schemeOf(text) !== undefined || text.startsWith('//') || looksLikeSite(text))
    return null;
  const page = pagePath(splitPageAddress(text).path);
  return 'path' in page ? page.path : null;
}

/** Encodes a path and keeps what is already encoded. */
function encodePath(path: string): string {
  return encodeURI(path).replace(/%25([0-9a-f]{2})/gi, '%$1');
}
