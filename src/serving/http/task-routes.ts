import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { ServedEnvironment } from '../served-environment.ts';
import { readBody } from './body.ts';
import { check, rangeSchema, splitSchema, taskSchema } from './requests.ts';
import { notFound, type Routes } from './routes.ts';

/** Adds the routes of the Task API. */
export function addTaskRoutes(routes: Routes, environment: ServedEnvironment): void {
  const taskRoute = <Body extends z.infer<typeof splitSchema>>(
    name: string,
    schema: z.ZodType<Body>,
    act: (tasks: readonly JsonObject[], body: Body, reply: FastifyReply) => unknown,
  ): void =>
    routes.add('POST', `/:environment/${name}`, async (request, reply) => {
      const body = check(schema, readBody(request), ['body']);
      const unknown = unknownEnvironment(request, environment);
      if (unknown !== null) return notFound(reply, unknown);
      if (!(await environment.splits()).includes(body.split)) {
        reply.code(400);
        return { detail: `unknown split '${body.split}'` };
      }
      return act(await environment.tasks(body.split), body, reply);
    });
  routes.add('GET', '/:environment/splits', async (request, reply) => {
    const unknown = unknownEnvironment(request, environment);
    if (unknown !== null) return notFound(reply, unknown);
    const names = await environment.splits();
    return names.map((name) => ({ name, type: /^(train|validation|test)$/.test(name) ? name : 'validation' }));
  });
  taskRoute('tasks', splitSchema, (tasks) => ({ tasks, env_name: environment.name }));
  taskRoute('num_tasks', splitSchema, (tasks) => ({ num_tasks: tasks.length }));
  taskRoute('task', taskSchema, (tasks, { index }, reply) => {
    const task = tasks.at(index);
    if (task !== undefined) return { task };
    reply.code(400);
    return { detail: 'Invalid task index' };
  });
  taskRoute('task_range', rangeSchema, (tasks, { start, stop }) => ({
    tasks: tasks.slice(start ?? 0, stop ?? undefined),
  }));
}

/** The names of environments are compared without case. */
function unknownEnvironment({ params }: FastifyRequest, { name }: ServedEnvironment): string | null {
  const { environment: requested = '' } = params as { environment?: string };
  return requested.toLowerCase() === name.toLowerCase() ? null : `unknown environment '${requested}'`;
}
