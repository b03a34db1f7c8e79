import type { Work } from '../../base/slices.ts';
import type { VerdictKind } from '../runs/verdict.ts';
import { eachTask, type FileSummary, type Root, type TaskSummary } from './model.ts';
import { taskKey } from './reference.ts';

/** The states of the last run that a filter can select. */
export const TASK_STATES = ['failed', 'passed', 'never-run', 'running', 'stopped'] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** The tasks that the tree shows. */
export interface TaskFilter {
  /** Each occurs in the id, prompt, environment, or file name, ignoring case. */
  readonly words: readonly string[];
  /** The task has all of them. */
  readonly tags: readonly string[];
  /** The task is in one of them. If empty, any state matches. */
  readonly states: readonly TaskState[];
}

const STATES: Readonly<Record<VerdictKind, TaskState>> = {
  none: 'never-run',
  running: 'running',
  paused: 'running',
  passed: 'passed',
  partial: 'failed',
  failed: 'failed',
  ungraded: 'failed',
  error: 'failed',
  cancelled: 'stopped',
  interrupted: 'stopped',
};

export function stateOf(kind: VerdictKind): TaskState {
  return STATES[kind];
}

/** The terms of a filter text: `lamp @failed @tag:shop @tag:"two words" "a phrase"`. */
export function termsOf(text: string): readonly string[] {
  return text.match(/@tag:"[^"]*"?|"[^"]*"?|\S+/g) ?? [];
}

/** Null if it excludes nothing. A term that is neither a tag nor a state is a word. */
export function parseFilter(text: string): TaskFilter | null {
  const words: string[] = [];
  const tags: string[] = [];
  const states: TaskState[] = [];
  for (const term of termsOf(text)) {
    const state = TASK_STATES.find((one) => term === `@${one}`);
    if (isIncomplete(term)) continue;
    if (state !== undefined) states.push(state);
    else if (term.startsWith('@tag:')) {
      const tag = unquote(term.slice('@tag:'.length));
      if (tag !== '') tags.push(tag.toLowerCase());
    } else if (unquote(term) !== '') words.push(unquote(term).toLowerCase());
  }
  return words.length + tags.length + states.length === 0 ? null : { words, tags, states };
}

/** The filter term for a tag. */
export function tagTerm(tag: string): string {
  return /\s/.test(tag) ? `@tag:"${tag}"` : `@tag:${tag}`;
}

/** The filter text with a term added, or removed if it is present. */
export function toggleTerm(text: string, term: string): string {
  const terms = termsOf(text);
  return (terms.includes(term) ? terms.filter((one) => one !== term) : [...terms, term]).join(' ');
}

/** The roots with only the matching tasks. Files without any are left out. */
export function* filterRoots(
  roots: readonly Root[],
  filter: TaskFilter,
  kindOf: (key: string) => VerdictKind,
): Work<readonly Root[]> {
  const result: Root[] = [];
  for (const root of roots) {
    const files: FileSummary[] = [];
    for (const file of root.files) {
      const path = file.path.join('/');
      const tasks: TaskSummary[] = [];
      for (const task of eachTask(file.tasks)) {
        if (matches(task, path, filter, kindOf)) tasks.push(task);
        yield;
      }
      if (tasks.length > 0) files.push({ ...file, tasks });
    }
    result.push({ ...root, files });
  }
  return result;
}

function matches(
  task: TaskSummary,
  path: string,
  { words, tags, states }: TaskFilter,
  kindOf: (key: string) => VerdictKind,
): boolean {
  // Cheapest first: reading a prompt may parse the row.
  if (states.length > 0 && !states.includes(stateOf(kindOf(taskKey(task))))) return false;
  if (tags.length > 0) {
    const own = task.tags.map((tag) => tag.toLowerCase());
    if (!tags.every((tag) => own.includes(tag))) return false;
  }
  return words.every(
    (word) =>
      includes(task.name, word) ||
      includes(task.label, word) ||
      includes(path, word) ||
      includes(task.prompt, word) ||
      includes(task.environment, word),
  );
}

/** `@fai`, `@ta`: an incomplete term excludes nothing. */
function isIncomplete(term: string): boolean {
  if (!term.startsWith('@')) return false;
  return [...TASK_STATES, 'tag:'].some((whole) => whole !== term.slice(1) && whole.startsWith(term.slice(1)));
}

function includes(text: string | null, word: string): boolean {
  return text?.toLowerCase().includes(word) ?? false;
}

function unquote(term: string): string {
  return term.replace(/^"|"$/g, '');
}
