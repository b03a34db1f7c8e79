/** Why a text is not a valid page address. */
export interface AddressProblem {
  readonly reason: string;
  /** The address that was probably meant. */
  readonly meant?: string;
}

/**
 * Returns why a text is not a valid page address, as the browser of an environment reads it (`http://` is added to a
 * bare host, a relative path is a page file beside the task); null if it is valid. Does not check whether a file
 * exists.
 */
export function addressProblem(text: string): AddressProblem | null {
  const trimmed = text.trim();
  if (trimmed === '') return { reason: 'the address is empty' };
  const scheme = SCHEME.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (trimmed.startsWith('//')) return URL.canParse(`http:${trimmed}`) ? null : { reason: 'it has no host' };
    const slashed = MISSPELT.exec(trimmed)?.[1];
    if (slashed === undefined) return null;
    return { reason: `a colon is missing: ${slashed}://`, meant: `${slashed}:${trimmed.slice(slashed.length)}` };
  }
  if (scheme === 'about') {
    return /^about:blank(?:[#?]|$)/i.test(trimmed)
      ? null
      : { reason: 'the only about: page that can be opened is about:blank', meant: 'about:blank' };
  }
  if (scheme !== 'http' && scheme !== 'https') {
    if (/^h+t+p+s?$/.test(scheme)) {
      const right = scheme.endsWith('s') ? 'https' : 'http';
      const meant = `${right}${trimmed.slice(scheme.length)}`;
      return { reason: `“${scheme}” is misspelled; use http or https`, ...(URL.canParse(meant) ? { meant } : {}) };
    }
    if (scheme === 'file') return { reason: 'use a path relative to the task file, such as "shop.html"' };
    return { reason: `only http and https addresses can be opened, not “${scheme}:”` };
  }
  if (!/^https?:\/*[^/]/i.test(trimmed)) return { reason: 'it has no host' };
  return URL.canParse(trimmed) ? null : { reason: 'its host or port is invalid' };
}

const SCHEME = /^([a-z][a-z0-9+.-]*):(?!\d+(\/|$))/i;
const MISSPELT = /^(https?)\/\//i;
