import { dirname } from 'node:path';
import { environmentKind } from '../environments/kinds.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import type { EnvironmentKind } from '../functions/declaration.ts';
import type { PageLink } from '../functions/page/questions.ts';
import { isServerError, type Lease, type Placement, ServerError } from '../placement/placement.ts';
import type { CallOutcome } from '../server/protocol.ts';
import type { Call, Json, Task } from '../tasks/task.ts';
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
  /** Hashes of the resources that the session has been given. */
  readonly given: Set<string>;
}

/** Where the calls of one moment are asked. */
interface Court {
  readonly kind: EnvironmentKind;
  /** Sessions are told apart by it. */
  readonly name: string;
  readonly task: Task;
  readonly moment: Moment;
}

/** Asks evaluate calls of recorded moments, in sessions without an agent, a live page or a network. */
export class Judge {
  readonly #placement: Placement;
  readonly #limitMs: number;
  readonly #open = new Map<string, Opened>();

  constructor(placement: Placement, limitMs = CALL_MS) {
    this.#placement = placement;
    this.#limitMs = limitMs;
  }

  /** The calls' judgements, in their order. Rejects where no environment can be had, or the signal is aborted. */
  async ask(calls: readonly Call[], moment: Moment, task: Task, signal: AbortSignal): Promise<readonly Judgement[]> {
    const environment = environmentKind(task.env);
    if ('unsupported' in environment) return calls.map(() => ({ value: null, reason: environment.unsupported }));
    const needed = calls.map((call) => environment.kind === 'browser' && needsPage(call));
    // Without a page to look at no browser is needed.
    const kind = needed.some(Boolean) && moment.page !== null ? 'browser' : 'qa';
    // One for all runs; a person's functions are not to meet those of another folder.
    const isOwn = calls.some((call) => findBuiltin(call.function) === undefined);
    const court: Court = { kind, name: `${kind} ${isOwn ? dirname(task.file) : ''}`, task, moment };
    const judged: Judgement[] = [];
    let gaps: readonly string[] | null = null;
    for (const [index, call] of calls.entries()) {
      if (needed[index] === true && moment.page === null) {
        judged.push({ value: null, reason: `it needs the page, and ${moment.missing}` });
        continue;
      }
      const opened = await this.#opened(court, signal);
      try {
        gaps ??= await this.#stand(opened, court, signal);
        judged.push(judgementOf(await this.#evaluate(opened, call, signal), needed[index] === true ? gaps : []));
      } catch (error) {
        signal.throwIfAborted();
        if (!isServerError(error)) throw error;
        // The session has gone, or cannot stand there: the next call gets another one.
        gaps = null;
        this.#open.delete(court.name);
        await closed(opened);
        judged.push({ value: null, reason: error.message });
      }
    }
    return judged;
  }

  /** What the recorded page answers to something that changes nothing of it. Rejects with `ServerError`. */
  async look(links: readonly PageLink[], moment: Moment, task: Task, signal: AbortSignal): Promise<Json> {
    if (moment.page === null) throw new ServerError('no_page', `The page cannot be asked: ${moment.missing}`);
    const court: Court = { kind: 'browser', name: 'browser ', task, moment };
    const opened = await this.#opened(court, signal);
    await this.#stand(opened, court, signal);
    const { lease, session } = opened;
    return (await lease.server.request('session.look', { session, links: [...links] }, signal)).answer;
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map(closed));
  }

  /** Resolves with what the recording does not hold of the page. */
  async #stand(
    { lease, session, given }: Opened,
    { kind, moment }: Court,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { actions, response } = moment;
    const page = kind === 'qa' ? null : moment.page;
    const missing = page === null ? [] : Object.entries(moment.resources).filter(([hash]) => !given.has(hash));
    const resources = Object.fromEntries(missing);
    const asked = { session, kind, files: lease.files, page, resources, actions: [...actions], response };
    const { gaps } = await lease.server.request('session.restore', asked, signal);
    for (const [hash] of missing) given.add(hash);
    return gaps;
  }

  #evaluate({ lease, session }: Opened, call: Call, signal: AbortSignal): Promise<CallOutcome> {
    return lease.server.request('session.evaluate', { session, call, limit_ms: this.#limitMs }, signal);
  }

  async #opened({ name, task }: Court, signal: AbortSignal): Promise<Opened> {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const lease = await this.#placement.open(task, { signal, progress: () => undefined });
    try {
      const { session } = await lease.server.request('session.open', {}, signal);
      const opened: Opened = { lease, session, given: new Set() };
      this.#open.set(name, opened);
      return opened;
    } catch (error) {
      await lease.release();
      throw error;
    }
  }
}

async function closed({ lease, session }: Opened): Promise<void> {
  // One that has ended is closed already.
  await lease.server.request('session.close', { session }).catch(() => undefined);
  await lease.release();
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
