import type { IncomingHttpHeaders } from 'node:http';
import { bearsToken } from '../../base/bearer-token.ts';

/** How many requests a client may send. */
export interface Limits {
  readonly perMinute: number;
  readonly total: number;
}

/** Why a request is not answered, and with which status. */
export interface Refusal {
  readonly status: 401 | 403 | 429;
  readonly message: string;
}

/**
 * Why a request is refused; null if it is not. Without a token, each request is refused. Agents are programs on this
 * machine that have the token. A web page is recognized by its `Origin`, or by the name of another machine in `Host`.
 */
export function refusal(headers: IncomingHttpHeaders, port: number, token: string | null): Refusal | null {
  const { host, origin } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    return { status: 403, message: 'Only requests to this machine are answered.' };
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return { status: 403, message: 'Requests of web pages are not answered.' };
  }
  if (token !== null && bearsToken(headers, token)) return null;
  // The same for a wrong token and for a run that has ended: a stranger does not learn which runs exist.
  const message =
    'No run at this address waits for an agent with this token. If the run is still in progress, send its token as "Authorization: Bearer TOKEN".';
  return { status: 401, message };
}

/** Allows a number of requests each minute, and a number in all. */
export class Quota {
  readonly #perMinute: number;
  #left: number;
  #allowance: number;
  #since = performance.now();

  constructor({ perMinute, total }: Limits) {
    this.#perMinute = perMinute;
    this.#allowance = perMinute;
    this.#left = total;
  }

  /** Counts a request; why it is refused, or null. */
  take(now: number = performance.now()): Refusal | null {
    if (this.#left <= 0) return { status: 429, message: 'The run takes no more requests.' };
    const gain = ((now - this.#since) / 60_000) * this.#perMinute;
    this.#allowance = Math.min(this.#perMinute, this.#allowance + gain);
    this.#since = now;
    if (this.#allowance < 1) return { status: 429, message: `More than ${this.#perMinute} requests in a minute.` };
    this.#allowance -= 1;
    this.#left -= 1;
    return null;
  }
}
