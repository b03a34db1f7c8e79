import { basename } from 'node:path';
import { BENCHMARKS, environmentTypes } from '../../../environments/kinds.ts';
import { inBrowserGym, miniwobTasks } from '../../../environments/miniwob/tasks.ts';
import { environmentKind } from '../../../environments/supported.ts';
import { expandCalls } from '../../../tasks/calls.ts';
import type { Path } from '../../../tasks/path.ts';
import type { Cursor } from '../../../tasks/rows.ts';
import type { Json } from '../../../tasks/task.ts';
import { customTaskDoc, ENVIRONMENT_DOCS } from '../docs.ts';
import { GYM_KEYS } from '../inner-keys.ts';
import type { KeyDoc } from '../keys.ts';
import { placeholder, withPlaceholders } from '../snippet.ts';
import { at, keysAt } from '../value-context.ts';
import type { CompletionContext } from './context.ts';
import type { CompletionKind, CompletionProposal } from './item.ts';

/** A text that is a value. */
export function plain(value: string, kind: CompletionKind, detail?: string): CompletionProposal {
  return { label: value, kind, detail, pieces: [{ value }], rank: 2 };
}

/** Values of the task's own keys and of the objects inside it, apart from calls. */
export async function values(cursor: Cursor, context: CompletionContext): Promise<CompletionProposal[]> {
  const { path, task } = cursor;
  const last = path.at(-1);
  const key = typeof last === 'number' ? path.at(-2) : last;
  if (path.length === 0) return [];
  if (path[0] === 'gym' && path.length === 1) return gyms();
  if (path[0] === 'gym' && path.length === 2 && key === 'type') return gymTypes();
  const ofGym = path[0] === 'gym' && path.length === 2;
  if (key === 'benchmark' && (ofGym || path.length === 1)) return benchmarks();
  if (key === 'task_name' && (ofGym || path.length === 1)) return benchmarkTasks(cursor, context);
  if (key === 'location' && path[0] === 'gym') return [plain('local', 'enum'), plain('remote', 'enum')];
  if (key === 'start_url') return addresses(cursor, context);
  if (key === 'html_file') return files(context);
  if (key === 'tags') return tags(cursor, context);
  if ((key === 'cookies' || path.at(-2) === 'cookies') && (typeof last === 'number' || last === 'cookies')) {
    const one = { name: placeholder('name'), value: placeholder('value') };
    return [
      { label: '{ name, value }', kind: 'value', pieces: [{ value: last === 'cookies' ? [one] : one }], rank: 2 },
    ];
  }
  const about = keysAt(typeof last === 'number' ? path.slice(0, -2) : path.slice(0, -1), task)?.[String(key)];
  return about === undefined ? items(path, task) : ofKey(about, typeof last === 'number');
}

function ofKey({ shape, example, doc }: KeyDoc, item: boolean): CompletionProposal[] {
  const quoted = [...shape.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value);
  if (quoted.length > 0) return quoted.map((value) => plain(value, 'enum'));
  if (shape.startsWith('true')) {
    return [true, false].map((value) => ({ label: String(value), kind: 'enum', pieces: [{ value }], rank: 2 }));
  }
  const value = item ? (Array.isArray(example) ? (example[0] as Json | undefined) : example) : example;
  if (value === undefined || (shape === 'text' && !TELLING.test(String(example)))) return [];
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

/** Examples that may well be what is wanted: addresses, images, programs. */
const TELLING = /^(?:https?:|Bearer |org\/|docker$)/;

/** Items of lists that have members of their own, such as tool calls. */
function items(path: Path, task: unknown): CompletionProposal[] {
  const keys = keysAt(path, task);
  if (keys === null) return [];
  const needed = Object.entries(keys).filter(([, { required }]) => required === true);
  if (needed.length === 0) return [];
  return [
    {
      label: `{ ${needed.map(([key]) => key).join(', ')} }`,
      kind: 'value',
      pieces: [{ value: Object.fromEntries(needed.map(([key, { example }]) => [key, withPlaceholders(example)])) }],
      rank: 2,
    },
  ];
}

/** Whether this version runs environments of a type. */
function isRun(type: string): boolean {
  return 'kind' in environmentKind({ type });
}

function gyms(): CompletionProposal[] {
  const names = environmentTypes
    .filter((type) => !['public', 'hud', 'mcp', 'desktop', 'browsergym', 'coding'].includes(type))
    .map(
      (type): CompletionProposal => ({
        ...plain(type, 'environment', isRun(type) ? undefined : 'not run by this version'),
        doc: ENVIRONMENT_DOCS[type],
        rank: type === 'hud-browser' || type === 'qa' ? 1 : 4,
      }),
    );
  const objects = ['browsergym', 'coding', 'public'].map((type): CompletionProposal => {
    const keys = Object.entries(GYM_KEYS[type] ?? {});
    const needed = keys.filter(([key, { required }]) => required === true || (type === 'coding' && key === 'folder'));
    return {
      label: `{ type: ${type} }`,
      kind: 'environment',
      detail: isRun(type) ? undefined : 'not run by this version',
      doc: ENVIRONMENT_DOCS[type],
      filter: type,
      pieces: [
        {
          value: { type, ...Object.fromEntries(needed.map(([key, { example }]) => [key, withPlaceholders(example)])) },
        },
      ],
      rank: type === 'browsergym' ? 2 : 5,
    };
  });
  return [...names, ...objects];
}

function benchmarks(): CompletionProposal[] {
  return BENCHMARKS.map((name, index) => ({
    ...plain(name, 'enum', BENCHMARK_DETAILS[name] ?? 'not run by this version'),
    rank: index < 2 ? 1 : 4,
  }));
}

const BENCHMARK_DETAILS: Readonly<Record<string, string>> = { miniwob: 'MiniWoB++', custom: 'your own, in code' };

function benchmarkTasks({ task, path }: Cursor, { own }: CompletionContext): CompletionProposal[] {
  const benchmark = at(task, [...path.slice(0, -1), 'benchmark']);
  if (benchmark === 'custom') {
    return [...(own.customTasks?.tasks.values() ?? [])].map((one) => ({
      ...plain(one.name, 'value', one.python ? 'Python, not run' : basename(one.file)),
      doc: customTaskDoc(one),
      rank: one.python ? 5 : 2,
    }));
  }
  if (benchmark !== undefined && benchmark !== 'miniwob') return [];
  return miniwobTasks.map((name) => plain(name, 'value', inBrowserGym(name) ? undefined : 'not in BrowserGym'));
}

function gymTypes(): CompletionProposal[] {
  return ['browsergym', 'coding', 'public', 'desktop', 'mcp', 'hud-browser', 'qa'].map((type) => ({
    ...plain(type, 'environment'),
    doc: ENVIRONMENT_DOCS[type],
  }));
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
  return (await context.pages()).map((name) => ({ ...plain(name, 'file', 'beside the tasks'), rank: 1 }));
}

/** Where a page can be: the files beside the task, and the addresses that tasks use. */
export async function addresses(cursor: Cursor, context: CompletionContext): Promise<CompletionProposal[]> {
  const own = `${cursor.before}${cursor.after ?? ''}`;
  const used = [...context.used().urls].filter((url) => url !== own).sort();
  return [...(await files(context)), ...used.map((url) => plain(url, 'value', 'used in tasks'))];
}

/** What a task's setup opens, as far as it says it. */
export function opened(task: unknown): {
  readonly calls: readonly { readonly name: string; readonly args: readonly Json[] }[];
  /** Addresses and page files. */
  readonly pages: readonly string[];
  readonly html: readonly string[];
} {
  const setup = expandCalls(at(task, ['setup']), ['setup'], []).map(({ function: name, args }) => ({ name, args }));
  const texts = (...found: readonly (Json | undefined)[]): string[] =>
    found.filter((value) => typeof value === 'string' && value !== '') as string[];
  const state = (key: string): (Json | undefined)[] => [at(task, [key]), at(task, ['initial_state', key])];
  const args = (wanted: string): (Json | undefined)[] =>
    setup.filter(({ name }) => name === wanted).map(({ args: [first] }) => first);
  return {
    calls: setup,
    pages: texts(...state('start_url'), ...state('html_file'), ...args('goto')),
    html: texts(...state('html'), ...args('load_html_content')),
  };
}
