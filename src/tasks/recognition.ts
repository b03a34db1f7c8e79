import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { isResourceExhausted } from '../base/resource-exhausted.ts';
import { importsHud, importsHudModule } from './formats/python/module-files.ts';

const ALWAYS_OURS = /\.(?:task\.(?:json|ya?ml)|(?:tasks|taskset)\.(?:json|jsonl|ya?ml))$/i;
const OURS_BY_CONTENT = /^tasks\.(?:json|jsonl|ya?ml)$/i;
/** Matches the names of Python files. */
export const PYTHON = /\.py$/i;

/** Classifies a file by its name: `always` a task file, or depending on its content (`containsTasks`). */
export function taskFileKind(name: string): 'always' | 'by-content' | null {
  const base = basename(name);
  if (ALWAYS_OURS.test(base)) return 'always';
  return OURS_BY_CONTENT.test(base) || PYTHON.test(base) ? 'by-content' : null;
}

/** Whether a file of this name is a task file, or can be one by its content. */
export function isTaskFileName(name: string): boolean {
  return taskFileKind(name) !== null;
}

/**
 * Whether a text can contain tasks, without parsing it: a Python file must import `hud`, or a module next to it that does.
 * Other files are classified by name.
 * @param file absolute path
 */
export function mayContainTasks(file: string, text: () => string): boolean {
  if (!PYTHON.test(file)) return true;
  const content = text();
  return importsHud(content) || importsHudModule(file, content);
}

/** Keys that only tasks have, in JSON or YAML. */
const KEYS =
  /(?:^|[\s{,"'-])(?:prompt|instruction|scenario|reward_function|reward_fn|task_name|mcp_config|evaluate|gym)["']?[ \t]*:/m;
const PYTHON_TASK = /\b(?:Task|LegacyTask|TaskConfig|TaskSet|Taskset|Environment)\b/;
/** Size in bytes above which the name alone decides. */
const MAX_READ = 64_000_000;

/** Whether a file must be withheld from agents as a task file, by its name and text. False if it cannot be read. */
export function looksLikeTaskFile(path: string): boolean {
  if (taskFileKind(path) === null) return false;
  try {
    if (statSync(path).size > MAX_READ) return !PYTHON.test(path);
    const text = readFileSync(path, 'utf8');
    if (!PYTHON.test(path)) return KEYS.test(text);
    return (importsHud(text) && PYTHON_TASK.test(text)) || importsHudModule(path, text);
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    // Reading the file for the agent fails with the same error.
    return false;
  }
}
