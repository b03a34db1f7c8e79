import type { Json, JsonObject } from '../../base/json.ts';
import { MAX_SEED, type ServedEnvironment } from '../served.ts';

/** The description of the HTTP routes, which clients read to learn what a server is. WebSocket routes do not stand in it. */
export function openApi({ schemas, version }: ServedEnvironment): Json {
  const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } });
  const object: Json = { type: 'object' };
  const operation = (tag: string, summary: string, more: JsonObject = {}, answer: Json = object) => ({
    tags: [tag],
    summary,
    ...more,
    responses: { '200': { description: 'Successful Response', ...(json(answer) as object) } },
  });
  const body = (schema: Json, required = true) => ({ requestBody: { required, ...(json(schema) as object) } });
  const name: Json = [{ name: 'env_name', in: 'path', required: true, schema: { type: 'string' } }];
  const ofTasks = (summary: string, properties: JsonObject, required: readonly string[]) => ({
    post: operation('Task API', summary, {
      parameters: name,
      ...body({
        type: 'object',
        properties: { split: { type: 'string' }, ...properties },
        required: ['split', ...required],
      }),
    }),
  });
  const index: Json = { type: 'integer' };
  const end: Json = { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null };
  const result: Json = {
    type: 'object',
    properties: {
      observation: schemas.observation,
      reward: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null },
      done: { type: 'boolean', default: false },
      metadata: { anyOf: [{ type: 'object' }, { type: 'null' }], default: null },
    },
    required: ['observation'],
  };
  const reset: Json = {
    type: 'object',
    additionalProperties: true,
    properties: {
      seed: { anyOf: [{ type: 'integer', minimum: 0, maximum: MAX_SEED }, { type: 'null' }], default: null },
      episode_id: { anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }], default: null },
      task: { anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }], default: null },
      split: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      index: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    },
  };
  const step: Json = {
    type: 'object',
    additionalProperties: true,
    properties: {
      action: schemas.action,
      timeout_s: { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { type: 'null' }], default: null },
      request_id: { anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }], default: null },
    },
    required: ['action'],
  };
  return {
    openapi: '3.1.0',
    info: { title: 'OpenEnv Environment HTTP API', version: '1.0.0', description: `Served by Taskwright ${version}.` },
    paths: {
      '/reset': { post: operation('Environment Control', 'Reset the environment', body(reset, false), result) },
      '/step': { post: operation('Environment Control', 'Execute an action in the environment', body(step), result) },
      '/state': { get: operation('State Management', 'Get current environment state', {}, schemas.state) },
      '/metadata': { get: operation('Environment Info', 'Get environment metadata') },
      '/health': { get: operation('Health', 'Health check') },
      '/schema': { get: operation('Schema', 'Get all JSON schemas') },
      '/mcp': { post: operation('MCP', 'Answer a JSON-RPC request', body(object)) },
      '/list_environments': {
        get: operation('Task API', 'List environments', {}, { type: 'array', items: { type: 'string' } }),
      },
      '/{env_name}/splits': { get: operation('Task API', 'List splits', { parameters: name }, { type: 'array' }) },
      '/{env_name}/tasks': ofTasks('List tasks', {}, []),
      '/{env_name}/num_tasks': ofTasks('Count tasks', {}, []),
      '/{env_name}/task': ofTasks('Get a task', { index }, ['index']),
      '/{env_name}/task_range': ofTasks('Get a range of tasks', { start: end, stop: end }, []),
    },
  };
}
