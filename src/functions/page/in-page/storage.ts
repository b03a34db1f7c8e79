/// <reference lib="dom" />

/** The content of one of the page's storages. */
export function storageOf(which: 'localStorage' | 'sessionStorage'): Record<string, string> {
  return { ...window[which] };
}
