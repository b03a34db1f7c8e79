import { dirname, relative } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import type { CustomTaskName, CustomTaskNames } from '../../functions/user/custom-tasks.ts';
import type { DescribedTask } from '../../functions/user/python/registrations.ts';
import type { Finding } from '../../tasks/finding.ts';

/** The prefix of the ids of task classes. */
export const CUSTOM = 'custom/';

/** A task that code registers: a description, or a class with its id. */
export type Registration = DescribedTask | (CustomTaskName & { readonly id: string });

/** What the code of a folder registers. A description has the id of its class. */
export function registrationsOf({ tasks, doubles = [], descriptions = [] }: CustomTaskNames): readonly Registration[] {
  const describedIds = new Set(descriptions.map(({ id }) => id));
  const classes = [...tasks.values(), ...doubles].map((one) => ({ ...one, id: CUSTOM + one.name }));
  return [...descriptions, ...classes.filter(({ id }) => !describedIds.has(id))];
}

/**
 * Errors for ids that code registers several times, at each place.
 * @param folders what the code of each folder registers
 */
export function doubleRegistrations(folders: readonly CustomTaskNames[]): readonly Finding[] {
  return [...groupBy(folders.flatMap(registrationsOf), ({ id }) => id).values()].flatMap((all) =>
    all.flatMap(({ id, file, range }, index) => {
      const other = all[index === 0 ? 1 : 0];
      if (other === undefined) return [];
      const place = `${relative(dirname(file), other.file)}:${other.range.start.line + 1}`;
      return {
        ...{ file, range, severity: 'error' as const, code: 'duplicate-registration' as const },
        message: `“${id}” is also registered in ${place}. Rename one of them`,
        related: [{ file: other.file, range: other.range, message: `The other “${id}”` }],
      };
    }),
  );
}
