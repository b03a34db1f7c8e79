import { type PageLink, readLinks } from '../functions/page/page-link.ts';
import { isQuery } from '../functions/page/questions.ts';

/**
 * The query of the page in an expression of a Python debug console, such as `await page.locator("li").first.text_content()`; null
 * for other expressions.
 */
export function pageQueryIn(expression: string): readonly PageLink[] | null {
  const [, chain] = /^\s*(?:await\s+)?page\s*\.(.+)$/s.exec(expression.trim()) ?? [];
  if (chain === undefined) return null;
  try {
    const links = readLinks(withCalls(chain)).map(({ name, args }) => ({ name: camelCase(name), args }));
    return isQuery(links) ? links : null;
  } catch {
    // Anything else is for Python to evaluate.
    return null;
  }
}

/** A string, or the name of a property. */
const PROPERTY = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:url|first|last)\b(?=\s*(?:\.|$))/gs;

/** Properties in Python are methods in JavaScript. */
function withCalls(chain: string): string {
  return chain.replace(PROPERTY, (part) => (/^["']/.test(part) ? part : `${part}()`));
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()).replace(/Html$/, 'HTML');
}
