import type { ActionDialect } from '../../actions/normal.ts';
import { actionDialect } from '../../environments/kinds.ts';
import type { ActionSchema } from '../../language/solutions/object-actions.ts';
import { taskOfSolution } from '../../language/solutions/task-of.ts';
import type { LanguageContext } from './feature.ts';

/** How the actions of a solution are read: the environment of its task determines it. */
export function solutionFormat(
  solution: string,
  { files, schemas }: Pick<LanguageContext, 'files' | 'schemas'>,
): { readonly dialect: ActionDialect; readonly schema: ActionSchema | undefined } {
  const task = taskOfSolution(
    solution,
    files.all.map(({ file }) => file),
  );
  return task === null
    ? { dialect: { dialect: 'own' }, schema: undefined }
    : { dialect: actionDialect(task.env), schema: schemas.of(task) };
}
