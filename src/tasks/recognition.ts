import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';

const ALWAYS_OURS = /\.(?:task\.(?:json|ya?ml)|(?:tasks|taskset)\.(?:json|jsonl|ya?ml))$/i;
const OURS_BY_CONTENT = /^tasks\.(?:json|jsonl|ya?ml)$/i;
/** A Python file by its name. */
export const PYTHON = /\.py$/i;

/**
 * What a file's name alone says: `always` ours, ours `by-content` (`tasks.json`, `*.py`, ask `holdsTasks`), or not ours.
 */
export function taskFileKind(name: string): 'always' | 'by-content' | null {
  const base = basename(name);
  if (ALWAYS_OURS.test(base)) return 'always';
  return OURS_BY_CONTENT.test(base) || PYTHON.test(base) ? 'by-content' : null;
}

/** Whether a file of this name is ours, or may be by its content. */
export function isTaskFileName(name: string): boolean {
  return taskFileKind(name) !== null;
}

/**
 * Whether a text may hold tasks of ours, told without reading it: a Python file does only when it imports `hud`. Of other
 * files the name tells.
 */
export function mayContainTasks(name: string, text: () => string): boolean {
  return !PYTHON.test(name) || IMPORTS_HUD.test(text());
}

const IMPORTS_HUD =
  /(?:^|[;:])[ \t\f]*(?:from(?:[ \t\f]|\\\r?\n)+hud\b|import(?:[ \t\f]|\\\r?\n)(?:[^\r\n#\\]|\\\r?\n)*\bhud\b)/m;

/** Keys that only tasks have, as JSON or YAML writes them. */
const KEYS =
  /(?:^|[\s{,"'-])(?:prompt|instruction|scenario|reward_function|reward_fn|task_name|mcp_config|evaluate|gym)["']?[ \t]*:/m;
const PYTHON_TASK = /\b(?:Task|LegacyTask|TaskConfig|TaskSet|Taskset|Environment)\b/;
/** A larger file is taken for what its name says, in bytes. */
const MOST_READ = 64_000_000;

/**
 * Whether a file is to be kept from agents as a task file, without the readers of its format: its name and its text say
 * so. False for a file that cannot be read. A file that a reader would refuse, or that only looks like a task file, may
 * be taken for one.
 */
export function looksLikeTaskFile(path: string): boolean {
  if (taskFileKind(path) === null) return false;
  try {
    if (statSync(path).size > MOST_READ) return !PYTHON.test(path);
    const text = readFileSync(path, 'utf8');
    return PYTHON.test(path) ? IMPORTS_HUD.test(text) && PYTHON_TASK.test(text) : KEYS.test(text);
  } catch {
    // Whoever reads it for the agent meets the same error.
    return false;
  }
}
