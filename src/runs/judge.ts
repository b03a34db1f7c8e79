import { dirname } from 'node:path';
import { environmentKind } from '../environments/kinds.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import { isServerError, type Lease, type Placement } from '../placement/placement.ts';
import type { CallOutcome } from '../server/protocol.ts';
import type { Call, Task } from '../tasks/task.ts';
import type { Moment } from './recording.ts';

const CALL_MS = 30_000;

/** What a call says of a recorded moment; without a value where it cannot be judged, with the reason. */
export interface Judgement {
  readonly value: number | null;
  readonly reason: string;
}

interface Opened {
  readonly lease: Lease;
  readonly session: string;
  /** The tasks' folder. */
  readonly folder: string;
}

/** Asks evaluate calls of recorded moments, in a session without an agent, a live page or a network. */
export class Judge {
  readonly #placement: Placement;
  readonly #limitMs: number;
  #open: Opened | null = null;

  constructor(placement: Placement, limitMs = CALL_MS) {
    this.#placement = placement;
    this.#limitMs = limitMs;
  }

  /** The calls' judgements, in their order. Rejects where no environment can be had, or the signal is aborted. */
  async ask(calls: readonly Call[], moment: Moment, task: Task, signal: AbortSignal): Promise<readonly Judgement[]> {
    const environment = environmentKind(task.env);
    if ('unsupported' in environment) return calls.map(() => ({ value: null, reason: environment.unsupported }));
    const judged: Judgement[] = [];
    const needed = calls.map((call) => environment.kind === 'browser' && needsPage(call));
    // Without a page to look at no browser is needed.
    const kind = needed.some(Boolean) && moment.page !== null ? 'browser' : 'qa';
    let stands: readonly string[] | null = null;
    for (const [index, call] of calls.entries()) {
      signal.throwIfAborted();
      if (needed[index] === true && moment.page === null) {
        judged.push({ value: null, reason: `it needs the page, and ${moment.missing}` });
        continue;
      }
      try {
        stands ??= await this.#stand(kind, moment, task, signal);
        judged.push(judgementOf(await this.#evaluate(call, signal), needed[index] === true ? stands : []));
      } catch (error) {
        signal.throwIfAborted();
        // Without a session there is no environment at all, which is nothing that a call could say.
        if (!isServerError(error) || this.#open === null) throw error;
        // The session has gone, or cannot stand there: the next call gets another one.
        stands = null;
        await this.close();
        judged.push({ value: null, reason: error.message });
      }
    }
    return judged;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    if (open === null) return;
    // One that has ended is closed already.
    await open.lease.server.request('session.close', { session: open.session }).catch(() => undefined);
    await open.lease.release();
  }

  /** Resolves with what the recording does not hold of the page. */
  async #stand(kind: 'browser' | 'qa', moment: Moment, task: Task, signal: AbortSignal): Promise<readonly string[]> {
    const { lease, session } = await this.#opened(task, signal);
    const { actions, response } = moment;
    const { page, resources } = kind === 'qa' ? { page: null, resources: {} } : moment;
    const asked = { session, kind, files: lease.files, page, resources, actions: [...actions], response };
    return (await lease.server.request('session.restore', asked, signal)).gaps;
  }

  async #evaluate(call: Call, signal: AbortSignal): Promise<CallOutcome> {
    if (this.#open === null) throw new Error('The session is not open.');
    const { lease, session } = this.#open;
    return lease.server.request('session.evaluate', { session, call, limit_ms: this.#limitMs }, signal);
  }

  /** One session for all runs of the tasks in a folder; the functions of another folder are not to meet these. */
  async #opened(task: Task, signal: AbortSignal): Promise<Opened> {
    const folder = dirname(task.file);
    if (this.#open !== null && this.#open.folder !== folder) await this.close();
    if (this.#open === null) {
      const lease = await this.#placement.open(task, { signal, progress: () => undefined });
      const { session } = await lease.server.request('session.open', {}, signal);
      this.#open = { lease, session, folder };
    }
    return this.#open;
  }
}

/** A person's own function may always ask for the page. */
function needsPage({ function: name }: Call): boolean {
  return findBuiltin(name)?.environments.includes('qa') !== true;
}

function judgementOf(outcome: CallOutcome, gaps: readonly string[]): Judgement {
  if ('error' in outcome) return { value: null, reason: outcome.error.message };
  const { value, reason } = outcome;
  if (value === null || !(value >= 0 && value <= 1)) return { value: null, reason: `${reason}: no number from 0 to 1` };
  return { value, reason: gaps.length === 0 ? reason : `${reason} (not in the recording: ${gaps.join(', ')})` };
}
