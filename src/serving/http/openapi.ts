import * as z from 'zod';
import type { Json, JsonObject } from '../../base/json.ts';
import type { ServedEnvironment } from '../served-environment.ts';
import { objectSchema, rangeSchema, resetSchema, splitSchema, stepSchema, taskSchema } from './requests.ts';

/** The description of the HTTP routes, which clients read to learn what a server is. It leaves out WebSocket routes. */
export function openApi({ schemas, version }: ServedEnvironment): Json {
  const json = (schema: Json): JsonObject => ({ content: { 'application/json': { schema } } });
  const object: Json = { type: 'object' };
  const operation = (tag: string, summary: string, more: JsonObject = {}, answer: Json = object) => ({
    tags: [tag],
    summary,
    ...more,
    responses: { '200': { description: 'Successful Response', ...json(answer) } },
  });
  const body = (schema: z.ZodType, required = true) => ({
    requestBody: { required, ...json(z.toJSONSchema(schema) as JsonObject) },
  });
  const name: Json = [{ name: 'env_name', in: 'path', required: true, schema: { type: 'string' } }];
  const ofTasks = (summary: string, schema: z.ZodType) => ({
    post: operation('Task API', summary, { parameters: name, ...body(schema) }),
  });
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
  // The session checks these itself.
  const reset = resetSchema.extend({
    task: z.union([z.string(), objectSchema]).nullish(),
    split: z.string().nullish(),
    index: z.int().nullish(),
  });
  const step = stepSchema.extend({ action: z.any().meta(schemas.action as z.GlobalMeta) });
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
      '/mcp': { post: operation('MCP', 'Answer a JSON-RPC request', body(objectSchema)) },
      '/list_environments': {
        get: operation('Task API', 'List environments', {}, { type: 'array', items: { type: 'string' } }),
      },
      '/{env_name}/splits': { get: operation('Task API', 'List splits', { parameters: name }, { type: 'array' }) },
      '/{env_name}/tasks': ofTasks('List tasks', splitSchema),
      '/{env_name}/num_tasks': ofTasks('Count tasks', splitSchema),
      '/{env_name}/task': ofTasks('Get a task', taskSchema),
      '/{env_name}/task_range': ofTasks('Get a range of tasks', rangeSchema),
    },
  };
}
