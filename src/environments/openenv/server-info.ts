import * as z from 'zod';
import type { Json } from '../../base/json.ts';
import { patient } from '../../base/patience.ts';
import { credentialsOf, withoutCredentials } from '../credentials.ts';
import type { Addresses } from './addresses.ts';
import { connectionError, notOpenEnv, redirectError, serverError } from './connection-error.ts';

const LIMIT = patient(10_000);
/** The major version of OpenEnv's HTTP API that Taskwright knows. */
const API_VERSION = 1;

const jsonSchemaSchema = z.record(z.string(), z.custom<Json>());
const schemasSchema = z.looseObject({
  action: jsonSchemaSchema,
  observation: jsonSchemaSchema,
  state: jsonSchemaSchema,
  reset_observation: jsonSchemaSchema.optional(),
});
const openApiSchema = z.looseObject({ info: z.looseObject({ version: z.string() }) });

/** JSON Schemas of an environment. */
export type EnvironmentSchemas = z.infer<typeof schemasSchema>;

/** Reads the schemas of a server's environment. Rejects with `EnvironmentError`. */
export async function readServer({ http }: Addresses): Promise<EnvironmentSchemas> {
  const [schemas, openApi] = await Promise.all([get(`${http}/schema`, http), get(`${http}/openapi.json`, http)]);
  const api = openApiSchema.safeParse(openApi);
  if (api.success && Number.parseInt(api.data.info.version, 10) !== API_VERSION) {
    const what = `serves version ${api.data.info.version} of OpenEnv’s API; this version of Taskwright knows ${API_VERSION}.x.`;
    throw serverError('version_mismatch', http, what);
  }
  const { data } = schemasSchema.safeParse(schemas);
  if (data === undefined) throw notOpenEnv(`${http}/schema`, 'has no schemas of an OpenEnv environment');
  return data;
}

/** The answer to `tools/list` of MCP. Rejects with `EnvironmentError`. */
export function askTools({ http }: Addresses): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  return get(`${http}/mcp`, http, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
}

async function get(url: string, http: string, request: RequestInit = {}): Promise<unknown> {
  const response = await ask(url, http, request);
  if (!response.ok) throw notOpenEnv(url, `answers with HTTP status ${response.status}, as no OpenEnv server does`);
  try {
    return await response.json();
  } catch {
    throw notOpenEnv(url, 'does not answer with JSON, as an OpenEnv server does');
  }
}

/**
 * The response of a server, with any status but a redirect. Rejects with `EnvironmentError`. Each request has its own
 * connection, because OpenEnv's server closes a connection after an error of the environment, and the next request would fail.
 */
export async function ask(url: string, http: string, request: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(withoutCredentials(url), {
      ...request,
      headers: { ...request.headers, ...credentialsOf(url), connection: 'close' },
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT),
    });
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') {
      const what = `did not answer within ${LIMIT / 1000} s.`;
      throw serverError('environment_unreached', http, what, { cause: error });
    }
    throw connectionError(http, error);
  }
  if (response.status >= 300 && response.status < 400) throw redirectError(http, response.headers.get('location'));
  return response;
}
