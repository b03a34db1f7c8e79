import type { FunctionContext, Workspace } from '../functions/declaration.ts';
import { NotRecorded } from '../functions/not-recorded.ts';
import type { RecordedSnapshot } from './environment.ts';

/**
 * What functions work with in a snapshot of a run whose files, windows, and commands are not recorded: the response
 * and the actions. Whatever else they ask for, they are told so.
 * @param what is not recorded, as the beginning of a sentence
 */
export function unrecordedContext(what: string, { actions, response }: RecordedSnapshot): FunctionContext {
  const refuse = (): never => {
    throw new NotRecorded(`${what}: run the task again to judge this`);
  };
  const reject = async (): Promise<never> => refuse();
  const workspace: Workspace = {
    get folder(): string {
      return refuse();
    },
    read: reject,
    write: reject,
    run: reject,
    changes: reject,
  };
  const desktop = {
    windows: reject,
    clipboard: reject,
    launch: reject,
    run: reject,
    open: reject,
    activate: reject,
    copyIn: reject,
  };
  return {
    workspace,
    desktop,
    response,
    actions: actions.map(({ input, normalised, error, typed }) => ({
      input,
      normalised,
      error,
      typed,
      matches: async () => false,
    })),
    actionTimeout: 0,
  };
}
