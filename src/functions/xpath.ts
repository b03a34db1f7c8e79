const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')' };

/** What can precede a bracket: the functions of XPath 1.0, its node tests, and its operators. */
const FUNCTIONS = new Set(
  (
    'last position count id local-name namespace-uri name string concat starts-with contains substring-before ' +
    'substring-after substring string-length normalize-space translate boolean not true false lang number sum floor ' +
    'ceiling round text node comment processing-instruction and or div mod'
  ).split(' '),
);

/**
 * Returns what is wrong with an XPath expression, or null: unclosed strings and brackets, empty predicates, missing
 * steps and operands, and unknown functions. Other errors are only known in the browser.
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
  const [bracket] = open;
  if (bracket !== undefined) return `the “${bracket.bracket}” at position ${bracket.at} is not closed`;
  const bare = expression.trim();
  if (bare !== '/' && /(?:[/@|=<>+,!]|::)$/.test(bare)) return 'it ends too early';
  const code = withoutStrings(bare);
  if (/@\s*(?![\s\w*\u0080-\uFFFF])/.test(code)) return 'the name of an attribute is missing after “@”';
  if (/[\s\])"](?:and|or|mod)\s*(?:[\])]|$)/.test(code)) return 'an operand is missing';
  const unknown = [...code.matchAll(/([\w-]+)\s*\(/g)].find(([, name = '']) => !FUNCTIONS.has(name))?.[1];
  if (unknown !== undefined) return `XPath 1.0 has no function “${unknown}”`;
  if (/\/\/\/|@@|\/\s*\[|\[\s*[\]=<>|,]|\|\s*\||[=<>|,]\s*[\])]/.test(code)) return 'a step is missing';
  return null;
}

function withoutStrings(expression: string): string {
  return expression.replace(/"[^"]*"|'[^']*'/g, '""');
}
