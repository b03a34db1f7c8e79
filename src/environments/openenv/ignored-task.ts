import { isList, type Json, type JsonObject, objectOf } from '../../base/json.ts';

/** The state of an episode right after a reset. */
export interface EpisodeStart {
  readonly observation: JsonObject;
  readonly reward: number | null;
  readonly done: boolean;
  readonly state: JsonObject;
}

/** Whether the start of an episode names the task: a key with “task” in its name has it as its value. */
export function namesTask({ observation, state }: EpisodeStart, task: Json): boolean {
  return holds(observation, task) || holds(state, task);
}

function holds(value: Json, task: Json): boolean {
  if (isList(value)) return value.some((item) => holds(item, task));
  return Object.entries(objectOf(value)).some(
    ([key, inner]) => (/task/i.test(key) && JSON.stringify(inner) === JSON.stringify(task)) || holds(inner, task),
  );
}

/** A task that no environment has. */
export function otherTask(task: Json): Json {
  return typeof task === 'string' ? 'taskwright-no-such-task' : { id: 'taskwright-no-such-task' };
}

/**
 * Why a server seems to ignore its task; null if the task changed something. Differences between the two resets with the
 * task are random and prove nothing.
 * @param others the starts of episodes without a task, and with another one
 */
export function whyIgnored(
  withTask: EpisodeStart,
  others: readonly EpisodeStart[],
  withTaskAgain: EpisodeStart,
): string | null {
  const random = new Set(differences(withTask, withTaskAgain));
  if (others.some((other) => differences(withTask, other).some((path) => !random.has(path)))) return null;
  const reason = 'its first observation, reward, and state are the same with it, without it, and with another one';
  if (random.size === 0) return reason;
  const paths = [...random].slice(0, 3).join(', ');
  return `${reason}, apart from what also differs between two resets with it (${paths}${random.size > 3 ? ', …' : ''})`;
}

/** The paths at which two values differ. The id of an episode always differs. */
function differences(a: unknown, b: unknown, path: readonly string[] = []): string[] {
  if (a === b || path.at(-1) === 'episode_id') return [];
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return [path.join('.')];
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => differences(left?.[key], right?.[key], [...path, key]));
}
