import { looksLikeSite, pagePath, schemeOf, splitPageAddress } from './page-address.ts';
import { type PageFiles, TASK_ORIGIN } from './page-files.ts';

export type Address =
  | { readonly url: string }
  | { readonly refused: string; readonly code: 'navigation_refused' | 'page_file_missing' };

/**
 * Whether an agent may visit this URL. The browser's error pages are allowed, because they reveal nothing about the
 * machine.
 */
export function allowed(url: string): boolean {
  return /^(https?:\/\/|about:blank([#?]|$)|chrome-error:\/\/)/i.test(url) || url === '' || /^blob:https?:/i.test(url);
}

/** The message for an agent about a URL that is not allowed. */
export function refusal(url: string): string {
  const shown = url.length > 120 ? `${url.slice(0, 119)}…` : url;
  return `\`${shown}\` cannot be opened here: only http and https addresses, about:blank and the task's own pages can`;
}

/**
 * Resolves an address: http(s) URLs and about:blank are unchanged, a relative path is a page file next to the task, and
 * a bare host (`example.com/x`) gets `http://`. Everything else is refused.
 */
export async function resolveAddress(text: string, files: PageFiles, base?: string): Promise<Address> {
  const trimmed = text.trim();
  if (trimmed === '') return { refused: 'the address is empty', code: 'navigation_refused' };
  if (schemeOf(trimmed) !== undefined) {
    if (!/^(https?:\/*[^/]|about:blank([#?]|$))/i.test(trimmed) || !URL.canParse(trimmed)) {
      return { refused: refusal(trimmed), code: 'navigation_refused' };
    }
    const url = new URL(trimmed);
    return { url: url.href };
  }
  if (trimmed.startsWith('//')) return parsed(`http:${trimmed}`);
  if (/^[?#]/.test(trimmed) && base?.startsWith(`${TASK_ORIGIN}/`)) return parsed(new URL(trimmed, base).href);
  const { path, rest } = splitPageAddress(trimmed);
  if ('path' in pagePath(path) && (await files.has(path))) return parsed(TASK_ORIGIN + path + rest);
  if (looksLikeSite(trimmed)) return parsed(`http://${trimmed}`);
  const file = await files.page(path);
  const why = 'refused' in file ? file.refused : `the file ${trimmed} does not exist next to the task`;
  return { refused: `\`${trimmed}\` cannot be opened: ${why}`, code: 'page_file_missing' };
}

function parsed(url: string): Address {
  return URL.canParse(url) ? { url: new URL(url).href } : { refused: refusal(url), code: 'navigation_refused' };
}
