import { getOrCreate } from '../../base/get-or-create.ts';
import type { RunVerdict } from '../../presentation/runs/verdict.ts';
import { taskKeyOfRun } from '../../presentation/tasks/reference.ts';
import { formatReward } from '../../results/reward.ts';
import type { RunEntry } from '../../traces/store.ts';
import { Disposable } from '../lifecycle.ts';
import type { RunHistory } from '../runs/history.ts';

/** The last runs of each task that ended with a reward and were not edited, newest first. */
export class LastTwo extends Disposable {
  readonly #history: RunHistory;
  #byTask: ReadonlyMap<string, readonly RunEntry[]> | undefined;

  constructor(history: RunHistory) {
    super();
    this.#history = history;
    this.register(
      history.onDidChange(() => {
        this.#byTask = undefined;
      }),
    );
  }

  /** The last two runs of a task with a reward, by its `taskKey`; undefined if there are not two. */
  of(key: string): readonly [last: RunEntry, before: RunEntry] | undefined {
    return pair(this.#runs(key), 0);
  }

  /** A run of the task and the one before it. */
  from(key: string, traceDir: string): readonly [run: RunEntry, before: RunEntry] | undefined {
    const runs = this.#runs(key);
    return pair(
      runs,
      runs.findIndex((entry) => entry.traceDir === traceDir),
    );
  }

  #runs(key: string): readonly RunEntry[] {
    this.#byTask ??= byTask(this.#history.entries);
    return this.#byTask.get(key) ?? [];
  }
}

function byTask(entries: readonly RunEntry[]): ReadonlyMap<string, readonly RunEntry[]> {
  const tasks = new Map<string, RunEntry[]>();
  for (const entry of entries) {
    if (entry.running || entry.run.reward === null || entry.run.edited) continue;
    const key = taskKeyOfRun(entry.run);
    getOrCreate(tasks, key, () => []).push(entry);
  }
  return tasks;
}

function pair(runs: readonly RunEntry[], at: number): readonly [RunEntry, RunEntry] | undefined {
  const [run, before] = at < 0 ? [] : [runs[at], runs[at + 1]];
  return run === undefined || before === undefined ? undefined : [run, before];
}

/** `1.00 ← 0.25`: the last reward and, if it differs, the one before. */
export function withBefore(verdict: RunVerdict, runs: readonly [RunEntry, RunEntry] | undefined): string {
  const [last, before] = (runs ?? []).map(({ run }) => (run.reward === null ? '' : formatReward(run.reward)));
  return last !== undefined && before !== undefined && last !== before && verdict.text === last
    ? `${last} ← ${before}`
    : verdict.text;
}
