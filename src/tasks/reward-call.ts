import type { Json, JsonObject } from '../base/json.ts';
import { exactNumber } from '../base/raw-number.ts';
import { expandCalls, plainCall, type ReadCall } from './calls.ts';
import { error, type Problem, warning } from './problem.ts';
import { removal } from './value-fixes.ts';

const KEYS = ['reward_function', 'reward_fn'] as const;
const NAME = /^[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*/;

/** Reads the RFC's reward function: a name or a call string; `check_x(...)` means `x(...)`. A script is an error. */
export function readReward(row: JsonObject, problems: Problem[]): ReadCall[] {
  const [key, another] = KEYS.filter((name) => row[name] !== undefined && row[name] !== null);
  if (key === undefined) return [];
  if (another !== undefined) {
    const message = '"reward_fn" and "reward_function" have the same meaning; only "reward_function" is used';
    problems.push({ part: 'key', ...warning('reward-twice', ['reward_fn'], message, removal(['reward_fn'])) });
  }
  const value = row[key];
  if (typeof value !== 'string') {
    return expandCalls(value, [key], problems).map((call) => ({ ...call, function: withoutCheck(call.function) }));
  }
  const call = parseCallString(value);
  if (call === null) {
    const message =
      'Neither the name of a function nor a call such as page_contains("Order placed"). Scripts are not run: move yours to a function in a *.functions.ts or *.functions.py file next to the tasks, and use its name here';
    problems.push(error('reward-script', [key], message));
    return [];
  }
  return [{ ...plainCall(withoutCheck(call.name), call.args, [key]), text: value }];
}

function withoutCheck(name: string): string {
  return /^check_./.test(name) ? name.slice('check_'.length) : name;
}

/**
 * Parses `name` or `name(argument, ...)`. Arguments are JSON or Python literals: strings in either quotes, numbers,
 * true/True, null/None, lists and objects. Returns null for anything else.
 */
export function parseCallString(text: string): { readonly name: string; readonly args: readonly Json[] } | null {
  const source = text.trim();
  const name = NAME.exec(source)?.[0];
  if (name === undefined) return null;
  const rest = source.slice(name.length).trimStart();
  if (rest === '') return { name, args: [] };
  const reader = new LiteralReader(rest);
  const args = reader.items('(', ')');
  return args === null || !reader.atEnd() ? null : { name, args };
}

class LiteralReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#space();
    return this.#at === this.#text.length;
  }

  items(open: string, close: string): Json[] | null {
    if (!this.#take(open)) return null;
    this.#depth += 1;
    if (this.#depth > 50) return null;
    const items: Json[] = [];
    while (!this.#take(close)) {
      if (items.length > 0 && !this.#take(',')) return null;
      if (items.length > 0 && this.#take(close)) break;
      const item = this.#value();
      if (item === undefined) return null;
      items.push(item);
    }
    this.#depth -= 1;
    return items;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #take(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #value(): Json | undefined {
    this.#space();
    const next = this.#text[this.#at] ?? '';
    if (next === '"' || next === "'") return this.#string(next);
    const raw = /^[rR](["'])/.exec(this.#text.slice(this.#at, this.#at + 2))?.[1];
    if (raw !== undefined) return this.#raw(raw);
    if (next === '[') return this.items('[', ']') ?? undefined;
    if (next === '{') return this.#object();
    const word = /^[-+\w.]+/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#at += word.length;
    if (/^(true|True)$/.test(word)) return true;
    if (/^(false|False)$/.test(word)) return false;
    if (/^(null|None)$/.test(word)) return null;
    return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(word) && Number.isFinite(Number(word))
      ? exactNumber(word, Number(word))
      : undefined;
  }

  #object(): Json | undefined {
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > 50) return undefined;
    const members: [string, Json][] = [];
    while (!this.#take('}')) {
      if (members.length > 0 && !this.#take(',')) return undefined;
      this.#space();
      const quote = this.#text[this.#at] ?? '';
      const key = quote === '"' || quote === "'" ? this.#string(quote) : undefined;
      if (typeof key !== 'string' || !this.#take(':')) return undefined;
      const value = this.#value();
      if (value === undefined) return undefined;
      members.push([key, value]);
    }
    this.#depth -= 1;
    return Object.fromEntries(members);
  }

  /** Python's `r'...'`, in which a backslash is literal. */
  #raw(quote: string): Json | undefined {
    const match = new RegExp(`^[rR]${quote}((?:[^${quote}\\\\]|\\\\.)*)${quote}`, 's').exec(this.#text.slice(this.#at));
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match[1] ?? '';
  }

  #string(quote: string): Json | undefined {
    let value = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at] ?? '';
      if (character === quote) {
        this.#at += 1;
        return value;
      }
      if (character !== '\\') {
        value += character;
        continue;
      }
      this.#at += 1;
      const letter = this.#text[this.#at] ?? '';
      const simple = ESCAPES[letter];
      const unicode = letter === 'u' ? /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#at + 1))?.[0] : undefined;
      if (unicode !== undefined) {
        value += String.fromCharCode(Number.parseInt(unicode, 16));
        this.#at += 4;
      } else {
        // As in Python, an unknown escape keeps its backslash. Patterns such as '\d+' rely on it.
        value += simple ?? `\\${letter}`;
      }
    }
    return undefined;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '/': '/',
  '\\': '\\',
  '"': '"',
  "'": "'",
};
