import { type PageFiles, pagePath, TASK_ORIGIN } from './page-files.ts';

export type Address =
  | { readonly url: string }
  | { readonly refused: string; readonly code: 'navigation_refused' | 'page_file_missing' };

const PAGE_NAME = /\.(x?html?|json|svg|txt|css|m?js|png|jpe?g|gif|webp)$/i;

/** Whether an agent may be at this address. Pages of errors belong to the browser and say nothing of the machine. */
export function allowed(url: string): boolean {
  return /^(https?:\/\/|about:blank([#?]|$)|chrome-error:\/\/)/i.test(url) || url === '' || /^blob:https?:/i.test(url);
}

/** Why an address is refused, in words for the agent. */
export function refusal(url: string): string {
  const shown = url.length > 120 ? `${url.slice(0, 119)}…` : url;
  return `\`${shown}\` cannot be opened here: only http and https addresses, about:blank and the task's own pages can`;
}

/**
 * What an address means: http(s) and about:blank as they are, a relative path as a page file beside the task,
 * a bare host (`example.com/x`) with `http://` before it. Everything else is refused.
 */
export async function resolveAddress(text: string, files: PageFiles, base?: string): Promise<Address> {
  const trimmed = text.trim();
  if (trimmed === '') return { refused: 'the address is empty', code: 'navigation_refused' };
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+(\/|$))/i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme !== undefined) {
    if (!/^(https?:\/*[^/]|about:blank([#?]|$))/i.test(trimmed) || !URL.canParse(trimmed)) {
      return { refused: refusal(trimmed), code: 'navigation_refused' };
    }
    const url = new URL(trimmed);
    return { url: url.href };
  }
  if (trimmed.startsWith('//')) return parsed(`http:${trimmed}`);
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(trimmed) ?? [];
  const plain = `/${path.replace(/^(\.?\/)+/, '')}`;
  if (path === '' && base?.startsWith(`${TASK_ORIGIN}/`)) return parsed(new URL(trimmed, base).href);
  const named = pagePath(encoded(plain));
  if ('path' in named && (await files.has(encoded(plain)))) return parsed(TASK_ORIGIN + encoded(plain) + rest);
  const host = path.split('/')[0] ?? '';
  const looksLikeHost = /^(localhost|\[[0-9a-f:]+\]|[^\s/:]+\.[^\s/:]+)(:\d+)?$/i.test(host) && !host.startsWith('.');
  if (looksLikeHost && !(PAGE_NAME.test(host) && !path.includes('/')) && host !== '..')
    return parsed(`http://${trimmed}`);
  const file = await files.page(encoded(plain));
  const why = 'refused' in file ? file.refused : `there is no file ${path} beside the task`;
  return { refused: `\`${trimmed}\` cannot be opened: ${why}`, code: 'page_file_missing' };
}

function parsed(url: string): Address {
  return URL.canParse(url) ? { url: new URL(url).href } : { refused: refusal(url), code: 'navigation_refused' };
}

/** Encodes what a person writes in a path and keeps what is encoded already. */
function encoded(path: string): string {
  return encodeURI(path).replace(/%25([0-9a-f]{2})/gi, '%$1');
}
