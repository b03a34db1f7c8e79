import * as z from 'zod';
import { SET_KEYS } from '../typing/keys.ts';
import { SCHEMA_OPTIONS } from './calls.ts';
import { withDocs } from './documented.ts';
import { task, task04, task05, task06 } from './rows.ts';

const row = z.unknown().meta({ id: 'row', title: 'Task', description: 'A task; its keys determine its era.' });

const set = z
  .strictObject({
    $schema: z.string().optional(),
    ...withDocs(SET_KEYS, {
      id: z.string().nullish(),
      name: z.string().nullish(),
      description: z.string().nullish(),
      tasks: z.array(row),
    }),
  })
  .meta({ id: 'set', title: 'Task set', description: 'A named list of tasks.' });

const list = z.array(row).meta({ id: 'list', title: 'List of tasks' });

/**
 * The JSON Schema (draft 7, which most editors support) of a task file in JSON or YAML; `#/definitions/row` describes a
 * line of JSONL. It is for other editors: it checks less than `diagnose`, and Taskwright itself does not use it.
 */
export function taskFileSchema(): object {
  const every = z.union([set, list, row, task, task04, task05, task06]);
  const all = z.toJSONSchema(every, SCHEMA_OPTIONS);
  return {
    $schema: all.$schema,
    title: 'Tasks for AI agents',
    description: 'A task, a list of tasks, or `{id, name, description, tasks}`, as Taskwright reads them.',
    ...when({ type: 'array' }, ref(list), when({ required: ['tasks'] }, ref(set), ref(row))),
    definitions: {
      ...(all['definitions'] as object),
      // As in `eraOf`. With `oneOf`, editors would report errors of the wrong alternative.
      row: {
        ...row.meta(),
        ...when(
          { required: ['scenario'] },
          ref(task05),
          when(
            { required: ['mcp_config'] },
            ref(task04),
            when(
              {
                required: ['env'],
                properties: { env: { type: 'string' } },
                not: { anyOf: [{ required: ['gym'] }, { required: ['setup'] }, { required: ['evaluate'] }] },
              },
              ref(task06),
              ref(task),
            ),
          ),
        ),
      },
    },
  };
}

function when(condition: object, yes: object, no: object): object {
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  return { if: condition, then: yes, else: no };
}

function ref(schema: z.ZodType): object {
  return { $ref: `#/definitions/${schema.meta()?.id}` };
}
