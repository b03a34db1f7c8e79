/**
 * Why a text can be no address of a page, as the browser of an environment reads it (`http://` is added to a bare host,
 * a relative path is a page file beside the task); null where it can be one. Whether a file is there is not looked at.
 */
export function addressProblem(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return 'the address is empty';
  const scheme = SCHEME.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (trimmed.startsWith('//')) return URL.canParse(`http:${trimmed}`) ? null : 'it has no host';
    const slashed = MISSPELT.exec(trimmed)?.[1];
    return slashed === undefined ? null : `a colon is missing: ${slashed}://`;
  }
  if (scheme === 'about') {
    return /^about:blank(?:[#?]|$)/i.test(trimmed) ? null : 'of these pages only about:blank can be opened';
  }
  if (scheme !== 'http' && scheme !== 'https') {
    if (/^h+t+p+s?$/.test(scheme)) return `“${scheme}” is misspelt: http or https`;
    if (scheme === 'file') return 'files are named by a path beside the task, such as "shop.html"';
    return `only http and https addresses can be opened, not “${scheme}:”`;
  }
  if (!/^https?:\/*[^/]/i.test(trimmed)) return 'it has no host';
  return URL.canParse(trimmed) ? null : 'its host or port cannot be read';
}

const SCHEME = /^([a-z][a-z0-9+.-]*):(?!\d+(\/|$))/i;
const MISSPELT = /^(https?)\/\//i;
