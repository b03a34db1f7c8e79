import { cssProblem } from './css.ts';
import { isPattern, roleProblem, unsupportedRole } from './role-selector.ts';
import { xpathProblem } from './xpath.ts';

/** Engines of Playwright for selectors `engine=body`, without its internal engines. */
const ENGINES = new Set([
  'css',
  'css:light',
  'xpath',
  'xpath:light',
  'text',
  'text:light',
  'role',
  'id',
  'id:light',
  'data-testid',
  'data-testid:light',
  'data-test-id',
  'data-test-id:light',
  'data-test',
  'data-test:light',
  'nth',
  'visible',
  '_react',
  '_vue',
]);

/** Returns the problem of a selector (CSS, or Playwright's with an `engine=` prefix and `>>` chains), or null. */
export function selectorProblem(selector: string): string | null {
  if (selector.trim() === '') return 'the selector is empty';
  const parts = chain(selector);
  for (const [index, part] of parts.entries()) {
    const problem = partProblem(part.trim(), index);
    if (problem !== null) return problem;
  }
  return null;
}

/** An unknown role in a selector, and the most similar role. */
export function unknownRole(selector: string): { readonly role: string; readonly near: string | null } | null {
  for (const part of chain(selector)) {
    const body = /^\s*\*?role\s*=\s*(.*)$/s.exec(part)?.[1];
    const unknown = body === undefined ? undefined : unsupportedRole(body);
    if (unknown !== undefined) return unknown;
  }
  return null;
}

/** Splits a selector at each `>>` outside of quotes. */
function chain(selector: string): string[] {
  const parts: string[] = [];
  let quote = '';
  let from = 0;
  for (let at = 0; at < selector.length; at += 1) {
    const character = selector[at] ?? '';
    if (character === '\\') at += 1;
    else if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'" || character === '`') {
      // In text=It's, the quote is a literal character.
      if (!/^\s*\*?text(:light)?\s*=\s*[^"'`\s]/.test(selector.slice(from, at))) quote = character;
    } else if (selector.startsWith('>>', at)) {
      parts.push(selector.slice(from, at));
      at += 1;
      from = at + 1;
    }
  }
  parts.push(selector.slice(from));
  return parts;
}

function partProblem(part: string, index: number): string | null {
  if (part === '') return index === 0 ? 'a selector is missing before “>>”' : 'a selector is missing after “>>”';
  const prefix = /^([\w+:*-]+)\s*=/.exec(part);
  if (prefix?.[1] === undefined) {
    if (/^["'].*["']$/s.test(part)) return null;
    if (/^(\(*\/\/|\.\.)/.test(part)) return xpathProblem(part);
    return cssProblem(part);
  }
  const engine = prefix[1].replace(/^\*/, '');
  const body = part.slice(prefix[0].length).trim();
  if (engine.startsWith('internal:')) return null;
  if (!ENGINES.has(engine)) return `unknown selector engine “${engine}”`;
  if (body === '') return `a value is missing after “${engine}=”`;
  if (engine.startsWith('css')) return cssProblem(body);
  if (engine.startsWith('xpath')) return xpathProblem(body);
  if (engine === 'nth' && !/^-?\d+$/.test(body)) return '“nth=” takes a whole number';
  if (engine === 'visible' && !/^(true|false)$/.test(body)) return '“visible=” takes true or false';
  if (engine === 'role') return roleProblem(body);
  if (/^text(?::light)?$/.test(engine) && /^\/.+\/[a-z]*$/s.test(body) && !isPattern(body)) {
    return `“${body}” is not a regular expression of JavaScript`;
  }
  return null;
}
