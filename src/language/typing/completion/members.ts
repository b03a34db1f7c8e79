import type { Json, JsonObject } from '../../../base/json.ts';
import { KINDS } from '../../../environments/kinds.ts';
import type { UserFunctions } from '../../../environments/user-functions.ts';
import type { KeyDoc, Keys } from '../../../tasks/key-docs.ts';
import type { Cursor } from '../../../tasks/rows.ts';
import { placeholder, unquotedPlaceholder, withPlaceholders } from '../../../tasks/snippet.ts';
import type { Era } from '../../../tasks/task.ts';
import { keyDoc } from '../docs.ts';
import { TASK_KEYS } from '../keys.ts';
import { templateKeys } from '../template-keys.ts';
import { at, eraIn, keysAt } from '../value-context.ts';
import { argumentKeys } from './arguments.ts';
import type { CompletionProposal } from './item.ts';

/** Completions for the members of an object, missing ones first, with placeholder values. */
export function members(cursor: Cursor, own: UserFunctions): CompletionProposal[] {
  const { path, task } = cursor;
  const keys = keysAt(path, task) ?? argumentKeys(path, task) ?? templateKeys(path, task, own);
  if (keys === null) return [];
  const holder = at(task, path);
  const currentKey = cursor.before + (cursor.after ?? '');
  const there = new Set(typeof holder === 'object' && holder !== null ? Object.keys(holder) : []);
  there.delete(currentKey);
  const offers = Object.entries(keys)
    .filter(([key]) => !there.has(key))
    .map(([key, about]) => offerOf(key, about, cursor, rankOf(key, about, there)));
  if (path.length > 0 || there.size > 0 || cursor.followed) return offers;
  return [...offers, ...wholeTasks(cursor), ...otherEras(cursor, keys)];
}

function offerOf(key: string, about: KeyDoc, cursor: Cursor, rank: number): CompletionProposal {
  const again = COMPLETED.has(key) || about.shape.includes('`');
  return {
    label: key,
    kind: 'key',
    detail: about.shape,
    doc: keyDoc(key, about),
    pieces: [cursor.followed ? { key } : { key, value: blank(about) }],
    rank,
    next: again && !cursor.followed ? 'completion' : undefined,
  };
}

/** Keys whose values have completions. */
const COMPLETED = new Set([
  'gym',
  'setup',
  'evaluate',
  'function',
  'type',
  'start_url',
  'html_file',
  'reward_function',
  'reward_fn',
  'location',
  'benchmark',
  'task_name',
  'success',
  'tags',
  'button',
  'keys',
  'hold_keys',
]);

/** Keys to omit, because another spelling is usual. */
const RARE = new Set([
  'benchmark',
  'task_name',
  'localStorage',
  'reward_fn',
  'instruction',
  'config',
  'sensitive_data',
  'image_uri',
  'dockerfile',
]);
/** Keys with the same meaning, of which one is enough. */
const SAME: readonly (readonly string[])[] = [
  ['prompt', 'instruction'],
  ['evaluate', 'reward_function', 'reward_fn'],
  ['local_storage', 'localStorage'],
  ['start_url', 'html_file', 'html'],
];

function rankOf(key: string, about: KeyDoc, there: ReadonlySet<string>): number {
  if (SAME.some((same) => same.includes(key) && same.some((other) => other !== key && there.has(other)))) return 8;
  if (about.required === true) return 0;
  return RARE.has(key) ? 6 : 2;
}

/** A placeholder value of the right type. */
function blank({ shape, example }: KeyDoc): Json {
  if (shape.startsWith('true')) return example;
  if (typeof example === 'number') return unquotedPlaceholder(String(example));
  if (shape === 'string' || shape === 'string or object' || shape.startsWith('`')) return placeholder();
  if (shape.startsWith('call') || shape.startsWith('list')) return [unquotedPlaceholder()];
  if (shape === 'object' && typeof example === 'object' && example !== null) {
    const [first] = Object.entries(example);
    if (first === undefined) return unquotedPlaceholder('{}');
    return typeof first[1] === 'string'
      ? { [placeholder(first[0])]: placeholder(first[1]) }
      : withPlaceholders(example);
  }
  return withPlaceholders(example);
}

/** The members of a whole task for each environment, for an empty task. */
function wholeTasks(cursor: Cursor): CompletionProposal[] {
  const make = (label: string, detail: string, doc: string, task: JsonObject): CompletionProposal => ({
    label,
    kind: 'task',
    detail,
    doc,
    pieces: Object.entries(task).map(([key, value]) => ({ key, value })),
    rank: 1,
    lines: true,
  });
  if (cursor.before !== '' && !cursor.quoted && cursor.followed) return [];
  const prompt = placeholder('What the agent should do');
  return [
    ...KINDS.flatMap(({ templates }) => templates).map(({ label, detail, doc, task }) =>
      make(label, detail, doc, task),
    ),
    make('task of OpenEnv’s proposal', 'Generic Task Support', 'A task in the format of OpenEnv’s proposal.', {
      name: placeholder('name'),
      instruction: prompt,
      start_url: placeholder('page.html'),
      reward_function: placeholder("page_contains('text')"),
      max_steps: unquotedPlaceholder('20'),
    }),
    make('task of HUD 0.4', 'MCP', 'A task that uses the tools of an MCP server.', {
      prompt,
      mcp_config: { local: { command: 'docker', args: ['run', '--rm', '-i', placeholder('image')] } },
      setup_tool: { name: 'setup', arguments: {} },
      evaluate_tool: { name: 'evaluate', arguments: {} },
    }),
    make('task of HUD 0.5', 'scenario', 'A task from a scenario of an environment.', {
      env: { name: placeholder('environment') },
      scenario: placeholder('scenario'),
      args: {},
    }),
    make('task of HUD 0.6', 'template', 'A task from a template of an environment.', {
      env: placeholder('environment'),
      id: placeholder('template'),
      args: {},
    }),
  ];
}

/** Keys that would change the era of the task. */
function otherEras(cursor: Cursor, keys: Keys): CompletionProposal[] {
  if (cursor.followed) return [];
  const telling: readonly (readonly [Era, string])[] = [
    ['0.4', 'mcp_config'],
    ['0.5', 'scenario'],
    ['0.6', 'env'],
  ];
  return telling.flatMap(([era, key]) => {
    const about = TASK_KEYS[era][key];
    if (about === undefined || key in keys || era === eraIn(cursor.task)) return [];
    return [{ ...offerOf(key, about, cursor, 9), detail: `HUD ${era}` }];
  });
}
