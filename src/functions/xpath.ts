const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')' };

/**
 * Returns what is wrong with an XPath expression, or null: unclosed strings and brackets, empty predicates, and missing
 * steps and operands. Other errors are only known in the browser.
 */
export function xpathProblem(expression: string): string | null {
  const open: { readonly bracket: string; readonly at: number }[] = [];
  let at = 0;
  while (at < expression.length) {
    const character = expression[at] ?? '';
    if (character === '"' || character === "'") {
      const end = expression.indexOf(character, at + 1);
      if (end === -1) return `the string at position ${at} is not terminated`;
      at = end;
    } else if (character === '[' || character === '(') {
      open.push({ bracket: character, at });
    } else if (character === ']' || character === ')') {
      const last = open.pop();
      if (last === undefined || CLOSING[last.bracket] !== character) {
        return `“${character}” at position ${at} has no opening bracket`;
      }
      if (character === ']' && expression.slice(last.at + 1, at).trim() === '') {
        return `the predicate at position ${last.at} is empty`;
      }
    }
    at += 1;
  }
  const [unclosed] = open;
  if (unclosed !== undefined) return `the “${unclosed.bracket}” at position ${unclosed.at} is not closed`;
  const bare = expression.trim();
  if (bare !== '/' && /(?:[/@|=<>+,!]|::)$/.test(bare)) return 'it ends too early';
  if (/\/\/\/|@@|\/\s*\[|\[\s*[\]=<>|,]|\|\s*\||[=<>|,]\s*[\])]/.test(withoutStrings(bare))) return 'a step is missing';
  return null;
}

function withoutStrings(expression: string): string {
  return expression.replace(/"[^"]*"|'[^']*'/g, '""');
}
