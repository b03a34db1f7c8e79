import type { Json } from '../../base/json.ts';
import type { ServedResult } from '../served-environment.ts';

/** A `ServedResult` between two texts. Its observation is already JSON. */
function around(
  before: string,
  { observation, reward, done, metadata }: ServedResult,
  after: string,
  whole: boolean,
): Buffer {
  const more = whole ? (Object.keys(metadata).length === 0 ? null : metadata) : metadata;
  const withMore = whole || Object.keys(metadata).length > 0;
  const rest = `,"reward":${JSON.stringify(reward)},"done":${done}${withMore ? `,"metadata":${JSON.stringify(more)}` : ''}`;
  return Buffer.concat([Buffer.from(`${before}{"observation":`), ...observation, Buffer.from(`${rest}}${after}`)]);
}

/** The answer of `/reset` and `/step`: with `metadata`, which is null if it is empty. */
export function httpResult(result: ServedResult): Buffer {
  return around('', result, '', true);
}

/** The message `observation` of `/ws`: with `metadata`, unless it is empty. */
export function wsResult(result: ServedResult): Buffer {
  return around('{"type":"observation","data":', result, '}', false);
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
