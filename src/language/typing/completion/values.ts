import { defined } from '../../../base/defined.ts';
import { isObject, type Json } from '../../../base/json.ts';
import type { HudTemplate } from '../../../environments/hud-template.ts';
import { environmentTypes, GYM_TYPES, typeInfo } from '../../../environments/kinds.ts';
import { expandCalls } from '../../../tasks/calls.ts';
import type { KeyDoc, Keys } from '../../../tasks/key-docs.ts';
import type { Cursor } from '../../../tasks/rows.ts';
import { placeholder, withPlaceholders } from '../../../tasks/snippet.ts';
import { templateKeys, templateSignature, templatesOf } from '../template-keys.ts';
import { at, keysAt } from '../value-context.ts';
import type { CompletionContext } from './context.ts';
import type { CompletionKind, CompletionProposal } from './item.ts';

/** A completion for a text. */
export function plain(value: string, kind: CompletionKind, detail?: string): CompletionProposal {
  return { label: value, kind, detail, pieces: [{ value }], rank: 2 };
}

/** Completions for the values of task keys and of objects inside tasks, apart from calls. */
export async function values(cursor: Cursor, context: CompletionContext): Promise<CompletionProposal[]> {
  const { path, task } = cursor;
  const last = path.at(-1);
  const key = typeof last === 'number' ? path.at(-2) : last;
  if (path.length === 0) return [];
  if (path[0] === 'gym' && path.length === 1) return gyms();
  if (path[0] === 'gym' && path.length === 2 && key === 'type') return gymTypes();
  const choices =
    path.length === 1 || (path[0] === 'gym' && path.length === 2) ? gymValues(String(key), cursor, context) : null;
  if (choices !== null) return choices;
  if (key === 'id' && path.length === 1) {
    const templates = templatesOf(task, context.own);
    if (templates.length > 0) return templates.map(ofTemplate);
  }
  if (key === 'args' && path.length === 1) {
    const keys = templateKeys(path, task, context.own);
    if (keys !== null) return wholeObject(keys, 1, true);
  }
  if (key === 'start_url') return addresses(cursor, context);
  if (key === 'html_file') return files(context);
  if (key === 'tags') return tags(cursor, context);
  if ((key === 'cookies' || path.at(-2) === 'cookies') && (typeof last === 'number' || last === 'cookies')) {
    const one = { name: placeholder('name'), value: placeholder('value') };
    return [
      { label: '{ name, value }', kind: 'value', pieces: [{ value: last === 'cookies' ? [one] : one }], rank: 2 },
    ];
  }
  const holder = typeof last === 'number' ? path.slice(0, -2) : path.slice(0, -1);
  const about = (keysAt(holder, task) ?? templateKeys(holder, task, context.own))?.[String(key)];
  if (about === undefined) return wholeObject(keysAt(path, task) ?? {}, 2);
  return ofKey(about, typeof last === 'number');
}

function ofKey({ shape, example, doc }: KeyDoc, item: boolean): CompletionProposal[] {
  const choices = [...shape.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value);
  if (choices.length > 0) return choices.map((value) => plain(value, 'enum'));
  if (shape.startsWith('true')) {
    return [true, false].map((value) => ({ label: String(value), kind: 'enum', pieces: [{ value }], rank: 2 }));
  }
  const value = item ? (Array.isArray(example) ? (example[0] as Json | undefined) : example) : example;
  if (value === undefined || (shape === 'string' && !TELLING.test(String(example)))) return [];
  const label = JSON.stringify(value);
  if (label === '{}' || label === '[]') return [];
  return [
    {
      label: typeof value === 'string' ? value : label.length > 60 ? `${label.slice(0, 59)}…` : label,
      kind: 'value',
      detail: 'example',
      doc,
      pieces: [{ value: typeof value === 'string' ? value : withPlaceholders(value) }],
      rank: 5,
    },
  ];
}

function ofTemplate(template: HudTemplate): CompletionProposal {
  const { id, description } = template;
  return { ...plain(id, 'function', templateSignature(template)), doc: description, rank: 1 };
}

/** Examples that are likely values: addresses, images, programs. */
const TELLING = /^(?:https?:|Bearer |org\/|docker$)/;

/** An object with the required keys, or with all if `orAll` and none is required. */
function wholeObject(keys: Keys, rank: number, orAll = false): CompletionProposal[] {
  const requiredMembers = Object.entries(keys).filter(([, about]) => about.required === true);
  const members = requiredMembers.length > 0 || !orAll ? requiredMembers : Object.entries(keys);
  if (members.length === 0) return [];
  const value = Object.fromEntries(members.map(([key, { example }]) => [key, withPlaceholders(example)]));
  return [{ label: `{ ${members.map(([key]) => key).join(', ')} }`, kind: 'value', pieces: [{ value }], rank }];
}

function gyms(): CompletionProposal[] {
  return [...GYM_TYPES].map(([type, { doc, written, keys = {}, suggestedKeys = [], common }]) => {
    if (written !== 'object') return { ...plain(type, 'environment'), doc, rank: common === true ? 1 : 4 };
    const members = Object.entries(keys)
      .filter(([key, { required }]) => required === true || suggestedKeys.includes(key))
      .map(([key, { example }]) => [key, withPlaceholders(example)]);
    return {
      label: `{ type: ${type} }`,
      kind: 'environment',
      doc,
      filter: type,
      pieces: [{ value: { type, ...Object.fromEntries(members) } }],
      rank: common === true ? 2 : 5,
    };
  });
}

/** Values of a key of `gym`, or of the same key of the task itself; null if its kind lists none. */
function gymValues(key: string, { task, path }: Cursor, { own }: CompletionContext): CompletionProposal[] | null {
  const gym = at(task, path.slice(0, -1));
  const type = path.length === 1 ? undefined : at(task, ['gym', 'type']);
  const types = [...GYM_TYPES].filter(([name]) => typeof type !== 'string' || name === type);
  const values = types.map(([, info]) => info.values?.[key]).find((found) => found !== undefined);
  if (values === undefined) return null;
  return values(isObject(gym) ? gym : {}, own).map(({ value, detail, doc, rank }) => ({
    ...plain(value, 'enum', detail),
    ...defined({ doc, rank }),
  }));
}

function gymTypes(): CompletionProposal[] {
  const objects = environmentTypes.filter((type) => typeInfo(type)?.keys !== undefined);
  const others = environmentTypes.filter((type) => !objects.includes(type));
  return [...objects, ...others].map((type) => ({ ...plain(type, 'environment'), doc: typeInfo(type)?.doc }));
}

function tags({ path, task }: Cursor, context: CompletionContext): CompletionProposal[] {
  const list = at(task, typeof path.at(-1) === 'number' ? path.slice(0, -1) : path);
  const own = path.at(-1);
  const there = new Set(Array.isArray(list) ? list.filter((_, index) => index !== own) : []);
  return [...context.used().tags]
    .filter((tag) => !there.has(tag))
    .sort()
    .map((tag) => ({
      ...plain(tag, 'tag'),
      ...(Array.isArray(list) || typeof own === 'number' ? {} : { pieces: [{ value: [tag] }] }),
    }));
}

async function files(context: CompletionContext): Promise<CompletionProposal[]> {
  return (await context.pages()).map((name) => ({ ...plain(name, 'file', 'next to the tasks'), rank: 1 }));
}

/** Possible page locations: the files beside the task, and the addresses that tasks use. */
export async function addresses(cursor: Cursor, context: CompletionContext): Promise<CompletionProposal[]> {
  const own = `${cursor.before}${cursor.after ?? ''}`;
  const urls = [...context.used().urls].filter((url) => url !== own).sort();
  return [...(await files(context)), ...urls.map((url) => plain(url, 'value', 'used in tasks'))];
}

/** The pages that a task's setup opens, as far as they are written. */
export function pagesOf(task: unknown): {
  readonly calls: readonly { readonly name: string; readonly args: readonly Json[] }[];
  /** Addresses and page files. */
  readonly pages: readonly string[];
  readonly html: readonly string[];
} {
  const setup = expandCalls(at(task, ['setup']), ['setup'], []).map(({ function: name, args }) => ({ name, args }));
  const texts = (...found: readonly (Json | undefined)[]): string[] =>
    found.filter((value) => typeof value === 'string' && value !== '') as string[];
  const state = (key: string): (Json | undefined)[] => [at(task, [key]), at(task, ['initial_state', key])];
  const args = (functionName: string): (Json | undefined)[] =>
    setup.filter(({ name }) => name === functionName).map(({ args: [first] }) => first);
  return {
    calls: setup,
    pages: texts(...state('start_url'), ...state('html_file'), ...args('goto')),
    html: texts(...state('html'), ...args('load_html_content')),
  };
}
