import type { Page } from 'playwright-core';
import { nearest } from './nearest.ts';

/** `; nearest: `#apply``: for a selector that ends in an id or class, the one on the page that looks most like it. */
export async function nearestElement(page: Page, selector: string): Promise<string> {
  const name = /[#.]([\w-]+)\s*$/.exec(selector);
  if (!name) return '';
  const isId = name[0].startsWith('#');
  const names = await page.evaluate((id) => {
    const found = new Set<string>();
    for (const element of document.querySelectorAll(id ? '[id]' : '[class]')) {
      for (const one of id ? [element.id] : element.classList) found.add(one);
      if (found.size > 2000) break;
    }
    return [...found];
  }, isId);
  const like = nearest(name[1] ?? '', names, (one) => one);
  return like === undefined ? '' : `; nearest: \`${isId ? '#' : '.'}${like}\``;
}
