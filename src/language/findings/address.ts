/** Why a text is not a valid page address. */
export interface AddressProblem {
  readonly reason: string;
  /** The address that was probably meant. */
  readonly suggestion?: string;
}

/**
 * Returns why a text is not a valid page address, as the browser of an environment reads it (`http://` is added to a
 * bare host, a relative path is a page file beside the task); null if it is valid. Does not check whether a file
 * exists.
 */
export function addressProblem(text: string): AddressProblem | null {
  const address = text.trim();
  if (address === '') return { reason: 'the address is empty' };
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (address.startsWith('//')) return URL.canParse(`http:${address}`) ? null : { reason: 'it has no host' };
    const prefix = MISSPELT.exec(address)?.[1];
    if (prefix === undefined) return null;
    return { reason: `a colon is missing: ${prefix}://`, suggestion: `${prefix}:${address.slice(prefix.length)}` };
  }
  if (scheme === 'about') {
    return /^about:blank(?:[#?]|$)/i.test(address)
      ? null
      : { reason: 'the only about: page that can be opened is about:blank', suggestion: 'about:blank' };
  }
  if (scheme !== 'http' && scheme !== 'https') {
    if (/^h+t+p+s?$/.test(scheme)) {
      const right = scheme.endsWith('s') ? 'https' : 'http';
      const suggestion = `${right}${address.slice(scheme.length)}`;
      return {
        reason: `“${scheme}” is misspelled; use http or https`,
        ...(URL.canParse(suggestion) ? { suggestion } : {}),
      };
    }
    if (scheme === 'file') return { reason: 'use a path relative to the task file, such as "shop.html"' };
    return { reason: `only http and https addresses can be opened, not “${scheme}:”` };
  }
  if (!/^https?:\/*[^/]/i.test(address)) return { reason: 'it has no host' };
  return URL.canParse(address) ? null : { reason: 'its host or port is invalid' };
}

const SCHEME = /^([a-z][a-z0-9+.-]*):(?!\d+(\/|$))/i;
const MISSPELT = /^(https?)\/\//i;
