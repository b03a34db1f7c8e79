import type { Json } from '../../tasks/task.ts';
import type { Environment, Offer } from '../environment.ts';

/** What an environment offers to agents. */
export interface Capability {
  readonly name: string;
  /** `mcp/2025-11-25` */
  readonly protocol: string;
  readonly url: string;
  readonly params: Readonly<Record<string, Json>>;
}

/** What agents see and act on in an environment, beside its tools: the pages of its browser, or its desktop. */
export type Surface = Pick<Environment, 'step' | 'observe' | 'pointed' | 'close'> &
  Required<Pick<Environment, 'live' | 'broken'>> & { readonly offer: Offer };

/** The capabilities in a welcome frame. */
export function capabilitiesIn(bindings: Json | undefined): readonly Capability[] {
  if (!Array.isArray(bindings)) return [];
  return (bindings as readonly Json[]).flatMap((one) => {
    const { name, protocol, url, params } = (one ?? {}) as { readonly [key: string]: Json };
    if (typeof name !== 'string' || typeof protocol !== 'string' || typeof url !== 'string') return [];
    const given = typeof params === 'object' && params !== null && !Array.isArray(params) ? params : {};
    return [{ name, protocol, url, params: given as Capability['params'] }];
  });
}
