import type { Json } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import { error, type Problem } from '../../../tasks/problem.ts';
import { nameOf } from './model.ts';

const PLACEHOLDER = /\$(?:\$|[_a-zA-Z]\w*|\{[_a-zA-Z]\w*\})/gi;
const DEFAULTED = /^\$\{([_a-zA-Z]\w*):-?([^}]*)\}/;

/**
 * HUD substitutes environment variables in every text of `mcp_config` with Python's `string.Template`: `$NAME` and
 * `${NAME}` are variables (empty if they are not set), `$$` is a dollar sign, and HUD rejects any other `$`.
 */
export function placeholderProblems(value: Json | undefined, path: Path, hud: string): Problem[] {
  if (typeof value === 'string') {
    const at = badPlaceholder(value);
    return at === null ? [] : [placeholderProblem(value, at, path, hud)];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    placeholderProblems(item, [...path, Array.isArray(value) ? Number(key) : key], hud),
  );
}

/** The text with 0 for every variable, because the values are only known at run time. */
export function filledIn(text: string): string {
  return text.replace(PLACEHOLDER, (found) => (found === '$$' ? '$' : '0'));
}

function badPlaceholder(text: string): number | null {
  let at = text.indexOf('$');
  while (at !== -1) {
    PLACEHOLDER.lastIndex = at;
    const match = PLACEHOLDER.exec(text);
    if (match?.index !== at) return at;
    at = text.indexOf('$', at + match[0].length);
  }
  return null;
}

function placeholderProblem(text: string, at: number, path: Path, hud: string): Problem {
  const rest = text.slice(at);
  const match = DEFAULTED.exec(rest);
  if (match !== null) {
    const [all, name = '', fallback = ''] = match;
    const write = (title: string, by: string) => ({
      title,
      changes: [{ set: path, value: text.slice(0, at) + by + text.slice(at + all.length) }],
    });
    const message = `${hud} rejects ${all}: it documents defaults, but does not implement them. Write \${${name}}, which is empty if it is not set`;
    const fixes = [write(`Change to \${${name}}`, `\${${name}}`), write(`Replace with “${fallback}”`, fallback)];
    return { word: all, ...error('placeholder-default', path, message, ...fixes) };
  }
  const word = /^\$\{[^}]*\}|^\$\S?/.exec(rest)?.[0] ?? '$';
  const message = `${hud} rejects “${word}” in ${nameOf(path)}. Write a variable as $NAME or \${NAME}, and a dollar sign as $$`;
  const changes = [{ set: path, value: `${text.slice(0, at)}$${text.slice(at)}` }];
  const problem = error('placeholder', path, message, { title: 'Write the dollar sign as $$', changes });
  // The same text could occur earlier, as part of a variable.
  return text.indexOf(word) === at ? { word, ...problem } : problem;
}
