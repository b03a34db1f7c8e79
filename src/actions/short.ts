import { splitCombination } from './keys.ts';
import type { NormalAction } from './normal.ts';

/** Pixels that the RFC's `scroll(down)` scrolls. */
const SCROLL = 500;

/**
 * The RFC's unquoted forms, one per line: `click(sel)`, `fill(sel,text)`, `goto(url)`, `press(key)`, `scroll(up|down)`.
 * Undefined if any nonblank line is not one of them.
 */
export function readShortForms(text: string): NormalAction[] | undefined {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  const actions: NormalAction[] = [];
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#') && !one.startsWith('//'))) {
    const action = readShortForm(line);
    if (!action) return undefined;
    actions.push(action);
  }
  return actions.length > 0 ? actions : undefined;
}

function readShortForm(line: string): NormalAction | undefined {
  const form = /^(click|fill|goto|press|scroll)\s*\((.*)\)\s*;?$/su.exec(line);
  if (!form) return undefined;
  const [, name, inside = ''] = form;
  const [first, rest] = splitAtComma(inside);
  const whole = unquote(inside);
  if (whole === '') return undefined;
  switch (name) {
    case 'click':
      return { type: 'click', target: { ref: whole }, button: 'left', delays: [], hold: [] };
    case 'fill': {
      const field = unquote(first);
      if (rest === undefined || field === '') return undefined;
      return { type: 'fill', target: { ref: field }, text: unquote(rest), menu: false };
    }
    case 'goto':
      return { type: 'goto', url: whole };
    case 'press':
      return { type: 'press', target: null, keys: splitCombination(whole) };
    default:
      if (whole !== 'up' && whole !== 'down') return undefined;
      return { type: 'scroll', target: null, x: 0, y: whole === 'down' ? SCROLL : -SCROLL, hold: [] };
  }
}

/** Splits at the first comma outside brackets and quotes of a selector. */
function splitAtComma(inside: string): [string, string | undefined] {
  let depth = 0;
  let quote = '';
  for (const [at, char] of inside.split('').entries()) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    else if (char === ',' && depth === 0) return [inside.slice(0, at), inside.slice(at + 1)];
  }
  return [inside, undefined];
}

function unquote(text: string): string {
  const content = text.trim();
  return /^(["'])(.*)\1$/su.exec(content)?.[2] ?? content;
}
