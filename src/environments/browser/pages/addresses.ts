import { looksLikeSite, schemeOf, splitPageAddress } from './page-address.ts';
import { type PageFiles, TASK_ORIGIN } from './page-files.ts';

export type Address =
  | { readonly url: string }
  | { readonly refusal: string; readonly code: 'navigation_refused' | 'page_file_missing' };

/**
 * Whether an agent may visit this URL. The browser's error pages are allowed, because they reveal nothing about the
 * machine.
 */
export function isAllowed(url: string): boolean {
  return /^(https?:\/\/|about:blank([#?]|$)|chrome-error:\/\/)/i.test(url) || url === '' || /^blob:https?:/i.test(url);
}

/** The message for an agent about a URL that is not allowed. */
export function describeRefusal(url: string): string {
  const excerpt = url.length > 120 ? `${url.slice(0, 119)}…` : url;
  return `\`${excerpt}\` cannot be opened here: only http and https addresses, about:blank and the task's own pages can`;
}

/**
 * Resolves an address: http(s) URLs and about:blank are unchanged, a relative path is a page file next to the task, and
 * a bare host (`example.com/x`) gets `http://`. Everything else is refused.
 */
export async function resolveAddress(text: string, files: PageFiles, base?: string): Promise<Address> {
  const address = text.trim();
  if (address === '') return { refusal: 'the address is empty', code: 'navigation_refused' };
  if (schemeOf(address) !== undefined) {
    if (!/^(https?:\/*[^/]|about:blank([#?]|$))/i.test(address) || !URL.canParse(address)) {
      return { refusal: describeRefusal(address), code: 'navigation_refused' };
    }
    return { url: new URL(address).href };
  }
  if (address.startsWith('//')) return parseUrl(`http:${address}`);
  if (/^[?#]/.test(address) && base?.startsWith(`${TASK_ORIGIN}/`)) return parseUrl(new URL(address, base).href);
  const { path, rest } = splitPageAddress(address);
  const file = await files.page(path);
  if ('body' in file) return parseUrl(TASK_ORIGIN + path + rest);
  if (looksLikeSite(address)) return parseUrl(`http://${address}`);
  return { refusal: `\`${address}\` cannot be opened: ${file.refusal}`, code: 'page_file_missing' };
}

function parseUrl(url: string): Address {
  return URL.canParse(url) ? { url: new URL(url).href } : { refusal: describeRefusal(url), code: 'navigation_refused' };
}
