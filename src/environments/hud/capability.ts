import { isList, type Json, type JsonObject, objectOf } from '../../base/json.ts';
import { abbreviateJson } from '../../python/json.ts';
import type { Environment, Offer } from '../environment.ts';

/** What an environment offers to agents. */
export interface Capability {
  readonly name: string;
  /** `mcp/2025-11-25` */
  readonly protocol: string;
  readonly url: string;
  readonly params: JsonObject;
}

/** What agents see and act on in an environment besides its tools: the pages of its browser, or its desktop. */
export interface Surface {
  readonly offer: Offer;
  readonly environment: Pick<Environment, 'step' | 'observe' | 'pointed' | 'finish'> &
    Required<Pick<Environment, 'live'>>;
  /** Rejects with `EnvironmentError` if it is lost; never resolves. */
  readonly broken: Promise<never>;
  close(): Promise<void>;
}

/** The capabilities in a welcome frame. Throws an `Error` whose message is a part of a sentence. */
export function capabilitiesIn(bindings: Json | undefined): readonly Capability[] {
  if (bindings === undefined || bindings === null) return [];
  if (!isList(bindings)) throw new Error(`its capabilities are no list: ${abbreviateJson(bindings)}`);
  return bindings.map((one) => {
    const { name, protocol, url, params } = objectOf(one);
    if (typeof name !== 'string' || typeof protocol !== 'string' || typeof url !== 'string') {
      throw new Error(`one of its capabilities has no name, protocol, and URL: ${abbreviateJson(one)}`);
    }
    return { name, protocol, url, params: objectOf(params) };
  });
}
