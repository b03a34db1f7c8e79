import type { Json, JsonObject } from '../../base/json.ts';

/** What can be observed right after a reset. */
export interface Beginning {
  readonly observation: JsonObject;
  readonly reward: number | null;
  readonly done: boolean;
  readonly state: JsonObject;
}

/** Whether a beginning names the task: a key with “task” in its name has it as its value. */
export function namesTask({ observation, state }: Beginning, task: Json): boolean {
  return holds(observation, task) || holds(state, task);
}

function holds(value: Json, task: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item: Json) => holds(item, task));
  return Object.entries(value).some(
    ([key, inner]) => (/task/i.test(key) && JSON.stringify(inner) === JSON.stringify(task)) || holds(inner, task),
  );
}

/** A task that no environment has. */
export function otherTask(task: Json): Json {
  return typeof task === 'string' ? 'taskwright-no-such-task' : { id: 'taskwright-no-such-task' };
}

/**
 * Why a server seems to ignore its task, in words; null if the task changed something. What differs between the two resets
 * with the task is random and proves nothing.
 * @param others how episodes begin without a task, and with another one
 */
export function whyIgnored(withTask: Beginning, others: readonly Beginning[], withTaskAgain: Beginning): string | null {
  const random = new Set(differences(withTask, withTaskAgain));
  const changed = others.some((other) => differences(withTask, other).some((path) => !random.has(path)));
  if (changed) return null;
  const noticed = 'its first observation, reward, and state are the same with it, without it, and with another one';
  if (random.size === 0) return noticed;
  const paths = [...random].slice(0, 3).join(', ');
  return `${noticed}, apart from what also differs between two resets with it (${paths}${random.size > 3 ? ', …' : ''})`;
}

/** Paths at which two beginnings differ. The number of an episode differs in any case. */
function differences(a: Beginning, b: Beginning): string[] {
  const found: string[] = [];
  compare({ ...a } as Json, { ...b } as Json, [], found);
  return found;
}

function compare(a: Json | undefined, b: Json | undefined, path: readonly string[], found: string[]): void {
  if (a === b || path.at(-1) === 'episode_id') return;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    found.push(path.join('.'));
    return;
  }
  const [left, right] = [a, b] as JsonObject[];
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    compare(left?.[key], right?.[key], [...path, key], found);
  }
}
