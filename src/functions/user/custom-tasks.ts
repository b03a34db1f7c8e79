import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Lines } from '../../tasks/lines.ts';
import type { Range } from '../../tasks/range.ts';
import { functionsFiles, isPython } from './files.ts';
import { commentBefore } from './names.ts';
import { taskModule } from './task-module.ts';
import { type Token, tokens } from './tokens.ts';

/** What the text of a file says of a custom task that it registers; nothing is executed. */
export interface CustomTaskName {
  readonly name: string;
  /** Absolute path of the file that registers it. */
  readonly file: string;
  /** Of its class; of the name where it is registered, where the class is not in the file. */
  readonly range: Range;
  readonly class: string | null;
  readonly doc: string | null;
  /** One of OpenEnv's own in Python: known, not run. */
  readonly python: boolean;
  /** What is surely wrong with its class: `has no method html()`. */
  readonly wrong: string | null;
  /** Whether its class says what the agent should do; null where that cannot be told. */
  readonly hasGoal: boolean | null;
}

/** The custom tasks of a folder, as its files are read. */
export interface CustomTaskNames {
  readonly tasks: ReadonlyMap<string, CustomTaskName>;
  /** No other file is imported, and no name computed, that might register more. */
  readonly complete: boolean;
  /** Why `OPENENV_TASK_MODULE` names no module that can be loaded. */
  readonly refused: string | null;
}

/** So many Python files of a folder are looked through. */
const MOST_PYTHON = 100;
const IMPORTS = /\b(?:from|import|require)\s*\(?\s*['"]\.{1,2}\//;

/**
 * Finds what the functions files of a folder and the module that `OPENENV_TASK_MODULE` names register, and what its Python
 * files would. `read` gives null for a file that cannot be read. Rejects where the folder cannot be listed.
 */
export async function findCustomTasks(
  folder: string,
  read: (file: string) => Promise<string | null>,
): Promise<CustomTaskNames> {
  const tasks = new Map<string, CustomTaskName>();
  let complete = true;
  const module = await taskModule(folder);
  const named = module !== null && 'file' in module ? [module.file] : [];
  for (const file of new Set([...(await functionsFiles(folder)), ...named])) {
    if (isPython(file)) continue;
    const text = await read(file);
    if (text === null || IMPORTS.test(text)) complete = false;
    const found = text === null ? null : registrations(text, file);
    if (found === null) complete = false;
    for (const task of found ?? []) if (!tasks.has(task.name)) tasks.set(task.name, task);
  }
  const entries = await readdir(folder, { withFileTypes: true });
  const python = entries.filter((entry) => entry.isFile() && isPython(entry.name)).slice(0, MOST_PYTHON);
  const below = module !== null && 'python' in module ? [module.python] : [];
  for (const file of new Set([...python.map(({ name }) => join(folder, name)), ...below])) {
    for (const task of pythonRegistrations((await read(file)) ?? '', file))
      if (!tasks.has(task.name)) tasks.set(task.name, task);
  }
  return { tasks, complete, refused: module === null ? null : whyRefused(module) };
}

function whyRefused(module: NonNullable<Awaited<ReturnType<typeof taskModule>>>): string | null {
  if ('refused' in module) return module.refused;
  return 'python' in module
    ? `OPENENV_TASK_MODULE names ${basename(module.python)}, and classes in Python are not run: write the task in TypeScript`
    : null;
}

/** What a file of TypeScript or JavaScript registers; null where a name or a place tells only when it is run. */
function registrations(text: string, file: string): CustomTaskName[] | null {
  if (!text.includes('registerCustomTask')) return [];
  const lines = new Lines(text);
  const all = tokens(text);
  const classes = classesOf(all);
  const found: CustomTaskName[] = [];
  let certain = true;
  let depth = 0;
  for (const [index, token] of all.entries()) {
    if (token.kind === 'sign') depth += '([{'.includes(token.text) ? 1 : ')]}'.includes(token.text) ? -1 : 0;
    if (token.text !== 'registerCustomTask' || all[index + 1]?.text !== '(') continue;
    const [literal, comma, value] = all.slice(index + 2, index + 5);
    const name = literal?.kind === 'literal' && comma?.text === ',' ? textOf(literal, text) : null;
    if (literal === undefined || name === null || depth !== 0) {
      certain = false;
      continue;
    }
    const own =
      value?.text === 'class'
        ? classes.find(({ at }) => at === index + 4)
        : classes.find((one) => one.name !== null && one.name.text === value?.text);
    const place = own?.name ?? literal;
    found.push({
      name,
      file,
      range: lines.range(place.start, place.end),
      class: own?.name?.text ?? null,
      doc: own?.name ? commentBefore(text, all, all.indexOf(own.name)) : null,
      python: false,
      ...judge(own, classes),
    });
  }
  return certain ? found : found.length > 0 ? found : null;
}

/** A class as it stands in a file. */
interface ClassText {
  /** Index of the word `class`. */
  readonly at: number;
  readonly name: Token | null;
  /** The last name behind `extends`. */
  readonly base: string | null;
  /** Names of its methods and fields that are no `static` or `abstract` ones. */
  readonly members: ReadonlySet<string>;
}

const NEEDED = ['html', 'reward', 'done'];

/** What is surely wrong with a class and those of the file that it extends. */
function judge(own: ClassText | undefined, classes: readonly ClassText[]): Pick<CustomTaskName, 'wrong' | 'hasGoal'> {
  const members = new Set<string>();
  const seen = new Set<ClassText>();
  for (let one = own; one !== undefined && !seen.has(one); ) {
    seen.add(one);
    for (const member of one.members) members.add(member);
    const { base } = one;
    if (base === null) return { wrong: 'does not extend CustomBrowserTask', hasGoal: null };
    if (base === 'CustomBrowserTask') {
      const missing = NEEDED.find((method) => !members.has(method));
      return { wrong: missing === undefined ? null : `has no method ${missing}()`, hasGoal: members.has('goal') };
    }
    one = classes.find(({ name }) => name?.text === base);
  }
  return { wrong: null, hasGoal: null };
}

function classesOf(all: readonly Token[]): ClassText[] {
  const found: ClassText[] = [];
  for (const [at, token] of all.entries()) {
    if (token.kind !== 'word' || token.text !== 'class' || all[at - 1]?.text === '.') continue;
    let next = at + 1;
    const name = all[next]?.kind === 'word' && all[next]?.text !== 'extends' ? (all[next] as Token) : null;
    let base: string | null = null;
    let angles = 0;
    for (next += name === null ? 0 : 1; next < all.length; next++) {
      const { text, kind } = all[next] as Token;
      if (text === '<') angles += 1;
      else if (text === '>') angles -= 1;
      else if (angles > 0) continue;
      else if (text === '{' || text === 'implements') break;
      else if (text === 'extends') base = '';
      else if (base !== null && kind === 'word') base = text;
    }
    while (next < all.length && all[next]?.text !== '{') next++;
    found.push({ at, name, base, members: membersOf(all, next) });
  }
  return found;
}

const MODIFIERS = new Set(['public', 'protected', 'private', 'override', 'readonly', 'async', 'get', 'set', 'declare']);

/** Names that begin a member of the class whose body opens there. */
function membersOf(all: readonly Token[], open: number): Set<string> {
  const members = new Set<string>();
  let depth = 0;
  for (let at = open; at < all.length; at++) {
    const token = all[at] as Token;
    const { text, kind } = token;
    if (kind === 'sign' && '([{'.includes(text)) depth += 1;
    else if (kind === 'sign' && ')]}'.includes(text) && --depth === 0) break;
    const next = all[at + 1]?.text ?? '';
    if (depth !== 1 || kind !== 'word' || !'(=:?!<;}'.includes(next)) continue;
    let before = at - 1;
    while (MODIFIERS.has(all[before]?.text ?? '') || all[before]?.text === '*') before -= 1;
    const first = all[before + 1] as Token;
    const previous = all[before]?.text ?? '';
    if (previous === 'static' || previous === 'abstract') continue;
    if (first.lineStart || ['{', ';', '}'].includes(previous)) members.add(text);
  }
  return members;
}

function textOf({ start, end, text: quote }: Token, text: string): string | null {
  if (!'\'"`'.includes(quote)) return null;
  const content = text.slice(start + 1, end - 1);
  return content === '' || content.includes('\\') || (quote === '`' && content.includes('${')) ? null : content;
}

/** What a Python file of the proposal registers: by a call, or by a decorator of the class. */
function pythonRegistrations(text: string, file: string): CustomTaskName[] {
  if (!text.includes('register_custom_task')) return [];
  const lines = new Lines(text);
  return [...text.matchAll(/^@?register_custom_task\(\s*(["'])([^"'\n]+)\1/gm)].map((match) => {
    const start = match.index + match[0].length - (match[2]?.length ?? 0) - 1;
    const range = lines.range(start, start + (match[2]?.length ?? 0));
    const name = match[2] ?? '';
    return { name, file, range, class: null, doc: null, python: true, wrong: null, hasGoal: null };
  });
}
