import { defined } from '../base/defined.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { StepResult } from '../environments/environment.ts';
import { kindOfType } from '../environments/kinds.ts';
import type { Task } from '../tasks/task.ts';
import { pixelRows } from './pixels.ts';

/** The fields of OpenEnv's browsergym_env, which every observation has, and their types. */
const COMMON = {
  text: { type: 'string', default: '', description: 'What the environment shows, as text.' },
  url: { type: 'string', default: '', description: 'The address of the page.' },
  screenshot: {
    anyOf: [
      { type: 'array', items: { type: 'array', items: { type: 'array', items: { type: 'integer' } } } },
      { type: 'null' },
    ],
    default: null,
    description: 'The screenshot as rows of pixels: red, green, and blue.',
  },
  goal: { type: 'string', default: '', description: 'The prompt of the task.' },
  axtree_txt: { type: 'string', default: '', description: 'The accessibility tree of the page.' },
  pruned_html: { type: 'string', default: '', description: 'The HTML of the page, without scripts and styles.' },
  error: { type: 'string', default: '', description: 'Why the last action failed. Empty in BrowserGym environments.' },
  last_action_error: { type: 'boolean', default: false, description: 'Whether the last action failed.' },
} as const;

/** What some kinds of environments add. */
const MORE = {
  outputs: {
    type: 'array',
    items: { type: 'object' },
    description: 'Coding and desktop: the commands of the last action.',
  },
  changes: { type: 'array', items: { type: 'object' }, description: 'Coding: the files that have changed.' },
  windows: { type: 'array', items: { type: 'object' }, description: 'Desktop: the windows, the topmost first.' },
  dialog: {
    type: 'object',
    description: 'Browser: the open confirm or prompt of the page, which handle_dialog(accept, text) answers.',
  },
  data: { description: 'OpenEnv and custom: the observation of the environment itself.' },
} as const;

export const OBSERVATION_SCHEMA: Json = {
  title: 'TaskwrightObservation',
  type: 'object',
  additionalProperties: false,
  properties: {
    done: { type: 'boolean', default: false },
    reward: { anyOf: [{ type: 'boolean' }, { type: 'integer' }, { type: 'number' }, { type: 'null' }], default: null },
    metadata: { type: 'object', additionalProperties: true },
    ...COMMON,
    ...MORE,
  },
};

export const ACTION_SCHEMA: Json = {
  title: 'TaskwrightAction',
  type: 'object',
  additionalProperties: false,
  properties: {
    metadata: { type: 'object', additionalProperties: true },
    action_str: {
      type: 'string',
      description: 'An action string, such as click("12") or send_msg_to_user("42"), or one action as a JSON object.',
    },
  },
  required: ['action_str'],
};

export const STATE_SCHEMA: Json = {
  title: 'TaskwrightState',
  type: 'object',
  additionalProperties: true,
  properties: {
    episode_id: { anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }], default: null },
    step_count: { type: 'integer', minimum: 0, default: 0 },
    benchmark: {
      type: 'string',
      description: 'The type of the environment; a benchmark of BrowserGym by its own name.',
    },
    task_name: { type: 'string' },
    task_id: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
    goal: { type: 'string' },
    current_url: { type: 'string' },
    max_steps: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    cum_reward: { type: 'number' },
  },
};

/** Whether observations have the fields of OpenEnv's browsergym_env and no others, with the same texts. */
function isBrowserGym(task: Task): boolean {
  return task.env.type === 'browsergym';
}

/** What the facts of an observation need from its episode. */
export interface EpisodeFacts {
  /** The last action as the client sent it; empty before the first. */
  readonly action: string;
  /** Seconds since the reset. */
  readonly seconds: number;
  readonly chat: readonly ChatMessage[];
}

/** A message between the user, who has the goal, and the agent. `timestamp`: in seconds since 1970. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant';
  readonly timestamp: number;
  readonly message: string;
}

/** The longest message of a chat in characters, because all messages are repeated after each step. */
const MAX_MESSAGE = 10_000;

/** A chat with one more message. */
export function withMessage(
  chat: readonly ChatMessage[],
  role: ChatMessage['role'],
  message: string,
): readonly ChatMessage[] {
  return [...chat, { role, timestamp: Date.now() / 1000, message: message.slice(0, MAX_MESSAGE) }];
}

/**
 * Facts that OpenEnv's browsergym_env puts beside its observation: BrowserGym's own observation without its large parts. An
 * episode of a benchmark has one page: another page ends it.
 */
export function metadataOf(
  task: Task,
  prompt: string,
  { error, info, focused = '' }: StepResult,
  { action, seconds: elapsed, chat }: EpisodeFacts,
): JsonObject {
  if (!isBrowserGym(task)) return {};
  const url = info.url ?? '';
  const facts = {
    chat_messages: chat.map((message) => ({ ...message })),
    goal: prompt,
    goal_object: [{ type: 'text', text: prompt }],
    open_pages_urls: [url],
    open_pages_titles: [info.title ?? ''],
    active_page_index: [0],
    url,
    focused_element_bid: focused,
    last_action: action,
    last_action_error: error?.message ?? '',
    elapsed_time: [elapsed],
  };
  return { browsergym_obs: facts, browsergym_info: info.task_info === undefined ? {} : { task_info: info.task_info } };
}

/** An observation on the wire, as JSON in pieces. `screenshots`: whether it has its screenshot. */
export async function observationJson(
  task: Task,
  prompt: string,
  result: StepResult,
  metadata: JsonObject,
  screenshots: boolean,
): Promise<readonly Buffer[]> {
  const { observation, info, error } = result;
  const text = observation.text ?? '';
  const kind = kindOfType(task.env)?.name;
  const exact = isBrowserGym(task);
  const { windows, outputs, changes } = info;
  const fields = {
    metadata,
    text,
    url: info.url ?? '',
    goal: prompt,
    axtree_txt: kind === 'browser' ? text : '',
    pruned_html: result.html ?? '',
    error: exact ? '' : (error?.message ?? ''),
    last_action_error: error !== null,
    ...(kind === 'coding' ? { changes: (changes ?? []).map(({ path, kind: how }) => ({ path, kind: how })) } : {}),
    ...(kind === 'coding' || kind === 'desktop' ? { outputs: outputs ?? [] } : {}),
    ...defined({ windows, data: observation.data, dialog: observation.dialog }),
  };
  const rest = JSON.stringify(fields);
  const screenshot = screenshots ? observation.screenshot : null;
  const pixels = screenshot === null ? Buffer.from('null') : await pixelRows(screenshot);
  return [Buffer.from(`${rest.slice(0, -1)},"screenshot":`), pixels, Buffer.from('}')];
}
