import * as z from 'zod';
import type { ActionDialect } from '../../actions/normal.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { defined } from '../../base/defined.ts';
import type { RecordedEpisode } from '../../environments/environment.ts';
import { actionDialect } from '../../environments/kinds.ts';
import {
  downloadSchema,
  fileChangeSchema,
  type RecordedAction,
  type RecordedDownload,
} from '../../environments/recorded.ts';
import { PagesFile, type RecordedPages } from '../../traces/pages-file.ts';
import { openRun, type RecordedRun } from '../../traces/store.ts';
import type { Step } from '../../traces/trace.ts';
import { TraceError } from '../../traces/trace-file.ts';

const downloadsSchema = z.array(downloadSchema);
const changesSchema = z.array(fileChangeSchema);

/** The recorded state of a run after one step, on which evaluate calls can run. */
export interface Snapshot extends RecordedPages {
  /** Index of the step. */
  readonly index: number;
  /** The agent's last response so far. */
  readonly response: string | null;
  /** The observations of the environment so far; absent if they are not data. */
  readonly episode?: RecordedEpisode | undefined;
  /** The changed files of a coding task, and the run's folder, which has their texts; null where none are recorded. */
  readonly files: { readonly folder: string; readonly changes: z.infer<typeof changesSchema> } | null;
  /** The downloads so far, with the run's folder, which has their contents. */
  readonly downloads?: { readonly folder: string; readonly list: readonly RecordedDownload[] };
}

/** A recorded run with its pages. */
export class Recording {
  readonly run: RecordedRun;
  readonly steps: readonly Step[];
  /** An error if they cannot be read; null if there are none. */
  readonly #pages: PagesFile | TraceError | null;

  private constructor(run: RecordedRun, steps: readonly Step[], pages: PagesFile | TraceError | null) {
    this.run = run;
    this.steps = steps;
    this.#pages = pages;
  }

  /** Rejects with `TraceError` if the trace cannot be read. Unreadable pages count as missing. */
  static async open(traceDir: string): Promise<Recording> {
    const run = await openRun(traceDir);
    const steps = await run.steps();
    const pages = await PagesFile.open(traceDir).catch((error: unknown) => {
      if (error instanceof TraceError) return error;
      throw error;
    });
    return new Recording(run, steps, pages);
  }

  /** Indexes of the steps that have a snapshot: all except evaluate calls. */
  get snapshots(): readonly number[] {
    return this.steps.filter(({ source }) => source !== 'evaluate').map(({ index }) => index);
  }

  /** The snapshot after a step. */
  at(index: number): Snapshot {
    const until = this.steps.slice(0, index + 1);
    const dialect = actionDialect(this.run.header.task.env);
    const responses = until.map(({ info }) => info['response']).filter((one) => typeof one === 'string');
    const pages =
      this.#pages instanceof PagesFile
        ? this.#pages.at(index)
        : {
            page: null,
            missing: this.#pages?.message ?? 'the run has no recorded pages',
            resources: {},
            actions: until.flatMap((step) => actionsOf(step, dialect)),
          };
    const recordedChanges = until.findLast(({ info }) => info['changes'] !== undefined)?.info['changes'];
    const changes = changesSchema.safeParse(recordedChanges);
    const files = changes.success ? { folder: this.run.traceDir, changes: changes.data } : null;
    const downloads = { folder: this.run.traceDir, list: downloadsOf(until) };
    return { ...pages, index, response: responses.at(-1) ?? null, episode: episodeOf(until), files, downloads };
  }
}

/** The downloads in some steps, as the last of them reports each. */
function downloadsOf(steps: readonly Step[]): readonly RecordedDownload[] {
  const byId = new Map<number, RecordedDownload>();
  for (const { info } of steps) {
    for (const one of downloadsSchema.safeParse(info['downloads']).data ?? []) byId.set(one.id, one);
  }
  return [...byId.values()];
}

/** The environment's observation, rewards, and state in the last steps. */
function episodeOf(steps: readonly Step[]): RecordedEpisode | undefined {
  const last = steps.findLast(({ observation }) => observation?.data !== undefined);
  if (last?.observation?.data === undefined) return undefined;
  const { state, total_reward } = last.info;
  return {
    observation: last.observation.data,
    totalReward: typeof total_reward === 'number' ? total_reward : 0,
    ...defined({ state }),
  };
}

/** The actions of a step, as far as the trace contains them. */
function actionsOf({ action, info }: Step, dialect: ActionDialect): readonly RecordedAction[] {
  if (action === undefined) return [];
  const { acted } = info;
  const done: RecordedAction[] = [];
  for (const input of Array.isArray(action) ? action : [action]) {
    const { actions, failure } = normaliseAction(input, dialect);
    const plain = { input, typed: null, element: null };
    done.push(...actions.map((normalised) => ({ ...plain, normalised, error: null })));
    if (failure) return [...done, { ...plain, normalised: null, error: failure.message }];
  }
  // After the first action that failed or ended the run, the others did not run.
  return done.slice(0, Array.isArray(acted) ? acted.length : 0);
}
