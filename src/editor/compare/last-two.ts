import type * as vscode from 'vscode';
import type { RunEntry } from '../../runs/store/store.ts';
import type { RunHistory } from '../runs/history.ts';
import { formatReward, type RunVerdict } from '../runs/verdict.ts';

/** What a task's last runs gave, the newest first: those that have ended with a reward. */
export class LastTwo implements vscode.Disposable {
  readonly #history: RunHistory;
  readonly #listening: vscode.Disposable;
  #byTask: ReadonlyMap<string, readonly RunEntry[]> | undefined;

  constructor(history: RunHistory) {
    this.#history = history;
    this.#listening = history.onDidChange(() => {
      this.#byTask = undefined;
    });
  }

  /** The last run of a task, as `taskKey` names it, and the one before; undefined where it has not two with a reward. */
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

  dispose(): void {
    this.#listening.dispose();
  }
}

function byTask(entries: readonly RunEntry[]): ReadonlyMap<string, readonly RunEntry[]> {
  const tasks = new Map<string, RunEntry[]>();
  for (const entry of entries) {
    if (entry.running || entry.run.reward === null) continue;
    const key = `${entry.run.file}#${entry.run.task_id}`;
    const known = tasks.get(key);
    if (known === undefined) tasks.set(key, [entry]);
    else known.push(entry);
  }
  return tasks;
}

function pair(runs: readonly RunEntry[], at: number): readonly [RunEntry, RunEntry] | undefined {
  const [run, before] = at < 0 ? [] : [runs[at], runs[at + 1]];
  return run === undefined || before === undefined ? undefined : [run, before];
}

/** `1.00 ← 0.25`: how a task went last, and before, where that was something else. */
export function withBefore(verdict: RunVerdict, runs: readonly [RunEntry, RunEntry] | undefined): string {
  const [last, before] = (runs ?? []).map(({ run }) => (run.reward === null ? '' : formatReward(run.reward)));
  return last !== undefined && before !== undefined && last !== before && verdict.text === last
    ? `${last} ← ${before}`
    : verdict.text;
}
