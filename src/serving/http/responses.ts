import type { Json } from '../../base/json.ts';
import type { ServedResult } from '../served-environment.ts';

/** The JSON of a result, whose observation is already JSON. `absent`: its metadata if there are none; undefined leaves them out. */
function resultJson({ observation, reward, done, metadata: facts }: ServedResult, absent: null | undefined): Buffer[] {
  const metadata = Object.keys(facts).length === 0 ? absent : facts;
  const rest = JSON.stringify({ reward, done, metadata });
  return [Buffer.from('{"observation":'), ...observation, Buffer.from(`,${rest.slice(1)}`)];
}

/** The answer of `/reset` and `/step`: with `metadata`, which is null if it is empty. */
export function httpResult(result: ServedResult): Buffer {
  return Buffer.concat(resultJson(result, null));
}

/** The message `observation` of `/ws`: with `metadata`, unless it is empty. */
export function wsResult(result: ServedResult): Buffer {
  const [before, after] = [Buffer.from('{"type":"observation","data":'), Buffer.from('}')];
  return Buffer.concat([before, ...resultJson(result, undefined), after]);
}

export type ErrorCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'SESSION_ERROR';

/** The message `error` of `/ws`. */
export function wsError(message: string, code: ErrorCode, more: object = {}): string {
  return JSON.stringify({ type: 'error', data: { message, code, ...more } });
}

/** The codes of JSON-RPC. */
export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  server: -32_000,
} as const;

export function rpcError(id: Json, code: number, message: string, data: Json = null): Json {
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

export function rpcResult(id: Json, result: Json): Json {
  return { jsonrpc: '2.0', id, result };
}
