import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Json } from '../../base/json.ts';
import { browser } from '../../environments/browser/kind.ts';
import type { Kind } from '../../environments/kind.ts';
import { environmentKind } from '../../environments/kinds.ts';
import { qa } from '../../environments/qa/kind.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import { FAILED_ON_MASK } from '../../functions/masked.ts';
import type { PageLink } from '../../functions/page/page-link.ts';
import { isServerError, type Lease, type Placement, ServerError } from '../../placement/placement.ts';
import { type CallOutcome, HARMLESS_CALL_ERRORS } from '../../server/protocol.ts';
import type { Call, Task } from '../../tasks/task.ts';
import { callLimit } from '../run/call-limit.ts';
import { changedTexts, downloadContents } from './recorded-contents.ts';
import { isFailureOnMask, masksBesidePage } from './recorded-masks.ts';
import type { Snapshot } from './recording.ts';

/** Time limit of one batch. If it is exceeded, each call has its own time limit. */
const BATCH_MS = 30_000;
/** Limits of one batch, in snapshots and bytes of their pages, so that memory is bounded and cancelling is fast. */
const MAX_BATCH_SNAPSHOTS = 64;
const MAX_BATCH_BYTES = 2 * 1024 * 1024;
const MAX_CACHED = 5_000;

/** After any other error of a call, its session is replaced. */
const HARMLESS: ReadonlySet<string> = new Set(HARMLESS_CALL_ERRORS);

/** The result of an evaluate call on a recorded snapshot. */
export interface Evaluation {
  /** Null if there is no value, for the given reason. */
  readonly value: number | null;
  readonly reason: string;
  /** The call failed, in contrast to a call whose data is not in the recording. */
  readonly failed: boolean;
}

/** Evaluate calls to run on one recorded snapshot. */
export interface EvaluationRequest {
  readonly calls: readonly Call[];
  readonly snapshot: Snapshot;
  readonly task: Task;
  /** Identifies the run. User-defined functions of different runs never share a session. */
  readonly run: string;
  /** The time limit in ms that the job of the run sets for every call; undefined if it sets none. */
  readonly evaluateTimeoutMs?: number | undefined;
}

/** The session that the calls of a snapshot run in. */
interface SessionKey {
  readonly kind: Kind;
  readonly name: string;
  readonly task: Task;
  /** The run that the session belongs to, because user-defined functions run in it; null for a shared session. */
  readonly owner: string | null;
}

/** A session of the environment server for evaluate calls. */
interface EvaluationSession {
  readonly lease: Lease;
  readonly session: string;
  readonly key: SessionKey;
  /** Hashes of the resources that were sent to the session. */
  readonly sentHashes: Set<string>;
  /** The run that used the session last; null before its first use. */
  lastRun: string | null;
}

/** A request with the session that it needs. */
interface Item extends EvaluationRequest {
  readonly target: SessionKey;
  /** For each call, whether it needs the page. */
  readonly needsPage: readonly boolean[];
  /** Snapshots with the same key have the same results. Null if the calls must run one by one in a page of their own. */
  readonly cacheKey: string | null;
}

type BatchItem = Item & { readonly cacheKey: string };

/**
 * Runs evaluate calls on recorded snapshots, in sessions without an agent, a live page, or a network.
 *
 * A result always belongs to its own run: user-defined functions of different runs never share a session, a session is
 * replaced when a call may have damaged it, and a call that fails in a session which another run has used is repeated in a
 * new one.
 */
export class SnapshotEvaluator {
  readonly #placement: Placement;
  readonly #sessions = new Map<string, EvaluationSession>();
  /** Results by cache key. */
  readonly #cache = new Map<string, readonly Evaluation[]>();

  constructor(placement: Placement) {
    this.#placement = placement;
  }

  /** The results of the calls, in their order. Rejects if no environment is available or the signal is aborted. */
  async evaluate(
    calls: readonly Call[],
    snapshot: Snapshot,
    task: Task,
    signal: AbortSignal,
    evaluateTimeoutMs?: number,
  ): Promise<readonly Evaluation[]> {
    const [results = []] = await this.evaluateAll([{ calls, snapshot, task, run: '', evaluateTimeoutMs }], signal);
    return results;
  }

  /** The results of each request, as `evaluate`. Calls that only read run on many snapshots at once. */
  async evaluateAll(
    requests: readonly EvaluationRequest[],
    signal: AbortSignal,
  ): Promise<readonly (readonly Evaluation[])[]> {
    const items = requests.map(toItem);
    for (const batch of batchesOf(items, (key) => this.#cache.has(key))) await this.#evaluateBatch(batch, signal);
    const results: (readonly Evaluation[])[] = [];
    for (const item of items) {
      if ('refusal' in item) {
        const { refusal } = item;
        results.push(item.calls.map(() => ({ value: null, reason: refusal, failed: false })));
        continue;
      }
      const cachedResults = item.cacheKey === null ? undefined : this.#cache.get(item.cacheKey);
      results.push(cachedResults ?? (await this.#evaluateItem(item, signal)));
    }
    if (this.#cache.size > MAX_CACHED) this.#cache.clear();
    return results;
  }

  /** Reads from a recorded page without changing it. Rejects with `ServerError`. */
  async queryPage(links: readonly PageLink[], snapshot: Snapshot, task: Task, signal: AbortSignal): Promise<Json> {
    if (snapshot.page === null) throw new ServerError('no_page', `The page is not available: ${snapshot.missing}`);
    const target: SessionKey = { kind: browser, name: `${browser.name} `, task, owner: null };
    const open = await this.#open(target, signal);
    await this.#restore(open, snapshot, signal);
    const { lease, session } = open;
    return (await lease.server.request('session.query', { session, links: [...links] }, signal)).answer;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((open) => this.#close(open)));
  }

  /** Caches the results of a batch. Items without a result there are evaluated one by one. */
  async #evaluateBatch(items: readonly BatchItem[], signal: AbortSignal): Promise<void> {
    const [{ target }] = items as readonly [BatchItem];
    const open = await this.#open(target, signal);
    const { lease, session, sentHashes } = open;
    open.lastRun = items.at(-1)?.run ?? null;
    const hasPages = target.kind.rescoring === 'page';
    const moments = items.map(({ calls, snapshot, needsPage }) => ({
      page: hasPages ? snapshot.page : null,
      actions: [...snapshot.actions],
      response: snapshot.response,
      episode: snapshot.episode,
      calls: calls.filter((_, index) => needsPage[index] === false || snapshot.page !== null),
    }));
    const resources: Record<string, Uint8Array> = {};
    for (const { snapshot } of hasPages ? items : []) {
      for (const [hash, text] of Object.entries(snapshot.resources)) if (!sentHashes.has(hash)) resources[hash] = text;
    }
    try {
      const { judged } = await lease.server.request(
        'session.evaluateSnapshots',
        { session, kind: target.kind.name, files: lease.files, resources, moments, limit_ms: BATCH_MS },
        signal,
      );
      for (const hash of Object.keys(resources)) sentHashes.add(hash);
      for (const [index, { cacheKey, calls, needsPage, snapshot }] of items.entries()) {
        const result = judged[index] ?? null;
        // Other errors may be due to the other snapshots of the batch.
        if (result === null || result.outcomes.some((one) => 'error' in one && !HARMLESS.has(one.error.code))) continue;
        const outcomes = result.outcomes.values();
        const evaluations = calls.map((call, at): Evaluation => {
          const needed = needsPage[at] === true;
          if (needed && snapshot.page === null) return withoutPage(snapshot);
          const { value } = outcomes.next();
          return evaluationOf(call, value as CallOutcome, snapshot, needed ? result.gaps : []);
        });
        this.#cache.set(cacheKey, evaluations);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isServerError(error)) throw error;
      // One of the snapshots ended the session. Evaluated one by one, each reports its own error.
      await this.#close(open);
    }
  }

  async #evaluateItem(item: Item, signal: AbortSignal): Promise<readonly Evaluation[]> {
    const { calls, snapshot, task, needsPage, target, run, evaluateTimeoutMs } = item;
    const results: Evaluation[] = [];
    /** The session with the restored snapshot, and what the recording lacks. */
    let restoredSession: { readonly open: EvaluationSession; readonly gaps: readonly string[] } | null = null;
    for (const [index, call] of calls.entries()) {
      const needed = needsPage[index] === true;
      if (needed && snapshot.page === null) {
        results.push(withoutPage(snapshot));
        continue;
      }
      for (;;) {
        const open: EvaluationSession = restoredSession?.open ?? (await this.#open(target, signal));
        const { lastRun } = open;
        open.lastRun = run;
        let error: { readonly code: string; readonly message: string } | null = null;
        let evaluation: Evaluation | null = null;
        try {
          restoredSession ??= { open, gaps: await this.#restore(open, snapshot, signal, calls.some(readsDownloads)) };
          const { lease, session } = open;
          const limit_ms = callLimit(call, task, evaluateTimeoutMs);
          const outcome = await lease.server.request('session.evaluate', { session, call, limit_ms }, signal);
          evaluation = evaluationOf(call, outcome, snapshot, needed ? restoredSession.gaps : []);
          if ('error' in outcome) error = outcome.error;
        } catch (failure) {
          signal.throwIfAborted();
          if (!isServerError(failure)) throw failure;
          error = failure;
        }
        const isUsable = error === null || HARMLESS.has(error.code);
        if (!isUsable) {
          restoredSession = null;
          await this.#close(open);
          // The error may be due to what ran in the session before. A call that reached its own limit is not repeated.
          const isConclusive = lastRun === null || (lastRun === run && evaluation !== null);
          if (!isConclusive) continue;
        }
        results.push(evaluation ?? { value: null, reason: error?.message ?? 'no result', failed: true });
        break;
      }
    }
    return results;
  }

  /** Resolves with what the recording lacks of the page. */
  async #restore(
    { lease, session, sentHashes, key: { kind } }: EvaluationSession,
    snapshot: Snapshot,
    signal: AbortSignal,
    withDownloads = false,
  ): Promise<readonly string[]> {
    const { actions, response, episode } = snapshot;
    const page = kind.rescoring === 'page' ? snapshot.page : null;
    const files = kind.rescoring === 'partial' ? snapshot.files : null;
    const downloads = page === null || !withDownloads ? undefined : snapshot.downloads;
    const texts =
      page === null
        ? await changedTexts(files, sentHashes)
        : { ...snapshot.resources, ...(await downloadContents(downloads, sentHashes)) };
    const missing = Object.entries(texts).filter(([hash]) => !sentHashes.has(hash));
    const resources = Object.fromEntries(missing);
    const payload = {
      page,
      resources,
      actions: [...actions],
      response,
      episode,
      changes: files?.changes,
      downloads: downloads && [...downloads.list],
    };
    const request = { session, kind: kind.name, files: lease.files, ...payload };
    const { gaps } = await lease.server.request('session.restore', request, signal);
    for (const [hash] of missing) sentHashes.add(hash);
    return gaps;
  }

  async #open(key: SessionKey, signal: AbortSignal): Promise<EvaluationSession> {
    const existing = this.#sessions.get(key.name);
    if (existing !== undefined && existing.key.owner === key.owner) return existing;
    if (existing !== undefined) await this.#close(existing);
    const lease = await this.#placement.open(key.task, { signal, recorded: true, progress: () => undefined });
    try {
      const { session } = await lease.server.request('session.open', {}, signal);
      const newSession: EvaluationSession = { lease, session, key, sentHashes: new Set(), lastRun: null };
      this.#sessions.set(key.name, newSession);
      return newSession;
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async #close({ lease, session, key }: EvaluationSession): Promise<void> {
    if (this.#sessions.get(key.name)?.session === session) this.#sessions.delete(key.name);
    // A session that has ended is already closed.
    await lease.server.request('session.close', { session }).catch(() => undefined);
    await lease.release();
  }
}

function toItem(request: EvaluationRequest): Item | (EvaluationRequest & { readonly refusal: string }) {
  const { calls, snapshot, task, run } = request;
  const environment = environmentKind(task.env);
  if ('unsupported' in environment) return { ...request, refusal: environment.unsupported };
  const { rescoring } = environment.kind;
  if (typeof rescoring !== 'string') return { ...request, refusal: rescoring.refused };
  const needsPage = calls.map((call) => rescoring === 'page' && mayNeedPage(call));
  // Without a page no browser is needed. Other kinds report what is not recorded.
  const hasPage = needsPage.some(Boolean) && snapshot.page !== null;
  const kind = rescoring === 'page' && !hasPage ? qa : environment.kind;
  const isUserDefined = calls.some((call) => findBuiltin(call.function) === undefined);
  const target: SessionKey = {
    kind,
    name: `${kind.name} ${isUserDefined ? dirname(task.file) : ''}`,
    task,
    owner: isUserDefined ? run : null,
  };
  const runsAny = needsPage.some((needed) => !needed || snapshot.page !== null);
  return { ...request, target, needsPage, cacheKey: runsAny && calls.every(onlyReads) ? cacheKeyOf(request) : null };
}

function cacheKeyOf({ calls, snapshot, task }: EvaluationRequest): string {
  const { page, missing, response, episode, actions } = snapshot;
  const identity = calls.map(({ function: name, args }) => [name, args]);
  const facts = [identity, task.env.type, missing, response, episode, actions];
  const hash = createHash('sha256').update(JSON.stringify(facts));
  if (page !== null) hash.update(page);
  return hash.digest('base64');
}

/**
 * Batches of items with the same session, without duplicate keys. Items of one task are next to each other: most of its pages
 * have the same URL, and navigating to another one takes longer than showing a page.
 */
function* batchesOf(
  items: readonly ReturnType<typeof toItem>[],
  isCached: (key: string) => boolean,
): Generator<readonly BatchItem[]> {
  const keys = new Set<string>();
  let batch: BatchItem[] = [];
  let bytes = 0;
  const ranks = new Map<string, number>();
  const rankOf = ({ task: { file, index } }: EvaluationRequest): number => ranks.get(`${file}#${index}`) ?? ranks.size;
  for (const item of items) ranks.set(`${item.task.file}#${item.task.index}`, rankOf(item));
  for (const item of items.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    if ('refusal' in item || item.cacheKey === null || keys.has(item.cacheKey) || isCached(item.cacheKey)) continue;
    keys.add(item.cacheKey);
    const size = item.snapshot.page?.byteLength ?? 0;
    const isFull = batch.length === MAX_BATCH_SNAPSHOTS || bytes + size > MAX_BATCH_BYTES;
    if (batch.length > 0 && (isFull || batch[0]?.target.name !== item.target.name)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ ...item, cacheKey: item.cacheKey });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** User-defined functions may always need the page. */
function mayNeedPage({ function: name }: Call): boolean {
  return findBuiltin(name)?.needs.length !== 0;
}

/** Whether a call changes nothing and can run together with others. */
function onlyReads({ function: name }: Call): boolean {
  const declaration = findBuiltin(name);
  if (declaration?.phase !== 'evaluate') return false;
  return declaration.needs.every((need) => need === 'episode') || declaration.pageFact !== undefined;
}

/** Whether a call judges downloads, whose contents can be large. */
function readsDownloads({ function: name }: Call): boolean {
  const declaration = findBuiltin(name);
  return declaration?.phase === 'evaluate' && declaration.reads.includes('downloads');
}

function withoutPage({ missing }: Snapshot): Evaluation {
  return { value: null, reason: `it needs the page, and ${missing}`, failed: false };
}

function evaluationOf(call: Call, outcome: CallOutcome, snapshot: Snapshot, pageGaps: readonly string[]): Evaluation {
  if ('error' in outcome) {
    const { message, code } = outcome.error;
    return { value: null, reason: message, failed: code !== 'not_recorded' };
  }
  const { value, reason } = outcome;
  if (value === null || !(value >= 0 && value <= 1)) {
    return { value: null, reason: `${reason}: not a number from 0 to 1`, failed: true };
  }
  if (isFailureOnMask(call, value, reason)) return { value: null, reason: FAILED_ON_MASK, failed: false };
  const gaps = [...new Set([...pageGaps, ...masksBesidePage(call, snapshot)])];
  return { value, reason: gaps.length === 0 ? reason : `${reason} (not recorded: ${gaps.join(', ')})`, failed: false };
}
