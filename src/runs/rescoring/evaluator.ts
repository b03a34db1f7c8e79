import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { browser } from '../../environments/browser/kind.ts';
import type { Kind } from '../../environments/kind.ts';
import { environmentKind } from '../../environments/kinds.ts';
import { qa } from '../../environments/qa/kind.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import type { PageLink } from '../../functions/page/questions.ts';
import { isServerError, type Lease, type Placement, ServerError } from '../../placement/placement.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import type { Call, Json, Task } from '../../tasks/task.ts';
import type { Moment } from './recording.ts';

const CALL_MS = 30_000;
/** So many moments, and bytes of their pages, are asked at once: no more are held, and a cancelled one is soon over. */
const MOST_TOGETHER = 64;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_KNOWN = 5_000;

/** What a call says of a recorded moment; without a value where it cannot be judged, with the reason. */
export interface Judgement {
  readonly value: number | null;
  readonly reason: string;
}

/** Evaluate calls of a task that are asked of one recorded moment. */
export interface Asked {
  readonly calls: readonly Call[];
  readonly moment: Moment;
  readonly task: Task;
}

interface Opened {
  readonly lease: Lease;
  readonly session: string;
  /** Hashes of the resources that the session has been given. */
  readonly given: Set<string>;
}

/** Where the calls of one moment are asked. */
interface Court {
  readonly kind: Kind;
  /** Sessions are told apart by it. */
  readonly name: string;
  readonly task: Task;
}

/** What was asked, and what that takes. */
interface Case extends Asked {
  readonly court: Court;
  /** Which of the calls need the page. */
  readonly needed: readonly boolean[];
  /** Moments with the same key are judged alike; null where each is to be asked by itself, in a page of its own. */
  readonly key: string | null;
}

/** Asks evaluate calls of recorded moments, in sessions without an agent, a live page or a network. */
export class Judge {
  readonly #placement: Placement;
  readonly #limitMs: number;
  readonly #open = new Map<string, Opened>();
  /** What was said of moments, by their keys. */
  readonly #known = new Map<string, readonly Judgement[]>();

  constructor(placement: Placement, limitMs = CALL_MS) {
    this.#placement = placement;
    this.#limitMs = limitMs;
  }

  /** The calls' judgements, in their order. Rejects where no environment can be had, or the signal is aborted. */
  async ask(calls: readonly Call[], moment: Moment, task: Task, signal: AbortSignal): Promise<readonly Judgement[]> {
    const [judged = []] = await this.askAll([{ calls, moment, task }], signal);
    return judged;
  }

  /** The judgements of each, as `ask` gives them. What only reads is asked of many moments at once. */
  async askAll(asked: readonly Asked[], signal: AbortSignal): Promise<readonly (readonly Judgement[])[]> {
    const cases = asked.map(caseOf);
    for (const batch of batchesOf(cases, (key) => this.#known.has(key))) {
      await this.#askTogether(batch, signal);
    }
    const judged: (readonly Judgement[])[] = [];
    for (const one of cases) {
      if ('unsupported' in one) judged.push(one.calls.map(() => ({ value: null, reason: one.unsupported })));
      else judged.push((one.key === null ? null : this.#known.get(one.key)) ?? (await this.#askAlone(one, signal)));
    }
    // What one run of many steps may come to.
    if (this.#known.size > MOST_KNOWN) this.#known.clear();
    return judged;
  }

  /** Asks cases of the same court. What could not be told in this way is not known afterwards. */
  async #askTogether(cases: readonly KeyedCase[], signal: AbortSignal): Promise<void> {
    const [{ court }] = cases as readonly [KeyedCase];
    const opened = await this.#opened(court, signal);
    const { lease, session, given } = opened;
    const moments = cases.map(({ calls, moment, needed }) => ({
      page: court.kind.rescoring === 'page' ? moment.page : null,
      actions: [...moment.actions],
      response: moment.response,
      calls: calls.filter((_, index) => needed[index] === false || moment.page !== null),
    }));
    const resources: Record<string, Uint8Array> = {};
    for (const { moment } of court.kind.rescoring === 'page' ? cases : []) {
      for (const [hash, text] of Object.entries(moment.resources)) if (!given.has(hash)) resources[hash] = text;
    }
    try {
      const { judged } = await lease.server.request(
        'session.judge',
        { session, kind: court.kind.name, files: lease.files, resources, moments, limit_ms: this.#limitMs },
        signal,
      );
      for (const hash of Object.keys(resources)) given.add(hash);
      for (const [index, one] of cases.entries()) {
        const its = judged[index] ?? null;
        if (its === null) continue;
        const outcomes = its.outcomes.values();
        const judgements = one.needed.map((isNeeded): Judgement => {
          if (isNeeded && one.moment.page === null) return withoutPage(one.moment);
          const { value } = outcomes.next();
          return judgementOf(value as CallOutcome, isNeeded ? its.gaps : []);
        });
        this.#known.set(one.key, judgements);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isServerError(error)) throw error;
      // One of them took the session with it: asked by itself each says what is wrong with it.
      this.#open.delete(court.name);
      await closed(opened);
    }
  }

  async #askAlone({ calls, moment, court, needed }: Case, signal: AbortSignal): Promise<readonly Judgement[]> {
    const judged: Judgement[] = [];
    let gaps: readonly string[] | null = null;
    for (const [index, call] of calls.entries()) {
      if (needed[index] === true && moment.page === null) {
        judged.push(withoutPage(moment));
        continue;
      }
      const opened = await this.#opened(court, signal);
      try {
        gaps ??= await this.#stand(opened, court.kind, moment, signal);
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
    const opened = await this.#opened({ kind: browser, name: `${browser.name} `, task }, signal);
    await this.#stand(opened, browser, moment, signal);
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
    kind: Kind,
    moment: Moment,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { actions, response } = moment;
    const page = kind.rescoring === 'page' ? moment.page : null;
    const missing = page === null ? [] : Object.entries(moment.resources).filter(([hash]) => !given.has(hash));
    const resources = Object.fromEntries(missing);
    const asked = { session, kind: kind.name, files: lease.files, page, resources, actions: [...actions], response };
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

type KeyedCase = Case & { readonly key: string };

function caseOf(asked: Asked): Case | (Asked & { readonly unsupported: string }) {
  const { calls, moment, task } = asked;
  const environment = environmentKind(task.env);
  if ('unsupported' in environment) return { ...asked, unsupported: environment.unsupported };
  const { rescoring } = environment.kind;
  if (typeof rescoring !== 'string') return { ...asked, unsupported: rescoring.refused };
  const needed = calls.map((call) => rescoring === 'page' && needsPage(call));
  // Without a page no browser is needed. Other kinds report what is not recorded.
  const hasPage = needed.some(Boolean) && moment.page !== null;
  const kind = rescoring === 'page' && !hasPage ? qa : environment.kind;
  // One for all runs; a person's functions are not to meet those of another folder.
  const isOwn = calls.some((call) => findBuiltin(call.function) === undefined);
  const court: Court = { kind, name: `${kind.name} ${isOwn ? dirname(task.file) : ''}`, task };
  const isAsked = needed.some((one) => !one || moment.page !== null);
  return { ...asked, court, needed, key: isAsked && calls.every(onlyReads) ? keyOf(asked) : null };
}

function keyOf({ calls, moment: { page, missing, response, actions }, task }: Asked): string {
  const asked = calls.map(({ function: name, args }) => [name, args]);
  const hash = createHash('sha256').update(JSON.stringify([asked, task.env.type, missing, response, actions]));
  if (page !== null) hash.update(page);
  return hash.digest('base64');
}

/**
 * What is to be asked at once: of the same court, each key once. Those of a task follow each other: its pages are mostly at
 * one address, and the browser takes longer to go to another one than to show the page there.
 */
function* batchesOf(
  cases: readonly ReturnType<typeof caseOf>[],
  isKnown: (key: string) => boolean,
): Generator<readonly KeyedCase[]> {
  const keys = new Set<string>();
  let batch: KeyedCase[] = [];
  let bytes = 0;
  const places = new Map<string, number>();
  const placeOf = ({ task: { file, index } }: Asked): number => places.get(`${file}#${index}`) ?? places.size;
  for (const one of cases) places.set(`${one.task.file}#${one.task.index}`, placeOf(one));
  for (const one of cases.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    if ('unsupported' in one || one.key === null || keys.has(one.key) || isKnown(one.key)) continue;
    keys.add(one.key);
    const size = one.moment.page?.byteLength ?? 0;
    const isFull = batch.length === MOST_TOGETHER || bytes + size > MOST_BYTES;
    if (batch.length > 0 && (isFull || batch[0]?.court.name !== one.court.name)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ ...one, key: one.key });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** A person's own function may always ask for the page. */
function needsPage({ function: name }: Call): boolean {
  return findBuiltin(name)?.needs.length !== 0;
}

/** It changes nothing and can be asked beside others. */
function onlyReads({ function: name }: Call): boolean {
  const declaration = findBuiltin(name);
  return declaration?.needs.length === 0 || declaration?.reads !== undefined;
}

function withoutPage({ missing }: Moment): Judgement {
  return { value: null, reason: `it needs the page, and ${missing}` };
}

function judgementOf(outcome: CallOutcome, gaps: readonly string[]): Judgement {
  if ('error' in outcome) return { value: null, reason: outcome.error.message };
  const { value, reason } = outcome;
  if (value === null || !(value >= 0 && value <= 1)) return { value: null, reason: `${reason}: no number from 0 to 1` };
  return { value, reason: gaps.length === 0 ? reason : `${reason} (not in the recording: ${gaps.join(', ')})` };
}
