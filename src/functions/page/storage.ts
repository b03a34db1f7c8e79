/// <reference lib="dom" />

/** Runs in the page: what one of its storages holds. */
export function storageOf(which: 'localStorage' | 'sessionStorage'): Record<string, string> {
  return { ...window[which] };
}
