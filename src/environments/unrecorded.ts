import type { Episode, FunctionContext, Workspace } from '../functions/declaration.ts';
import { NotRecorded } from '../functions/not-recorded.ts';
import { restoreActions } from './action-records.ts';
import type { RecordedEpisode, RecordedSnapshot } from './environment.ts';

/** The episode of a recorded run. */
export function recordedEpisode({ observation, totalReward, state }: RecordedEpisode): Episode {
  return {
    observation,
    totalReward,
    state: async () => {
      if (state !== undefined) return state;
      throw new NotRecorded('the state of the environment was not recorded: run the task again to judge this');
    },
  };
}

/**
 * The context of functions in a snapshot of a run whose files, windows, and commands are not recorded: the response and
 * the actions. Everything else throws.
 * @param reason what is not recorded, as the beginning of a sentence
 */
export function unrecordedContext(
  reason: string,
  { actions, response, episode }: RecordedSnapshot,
): FunctionContext & { readonly workspace: Workspace } {
  const refuse = (): never => {
    throw new NotRecorded(`${reason}: run the task again to judge this`);
  };
  const reject = async (): Promise<never> => refuse();
  const workspace: Workspace = {
    get folder(): string {
      return refuse();
    },
    read: reject,
    write: reject,
    files: reject,
    remove: reject,
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
    ...(episode === undefined ? {} : { episode: recordedEpisode(episode) }),
    actions: restoreActions(actions),
    actionTimeout: 0,
  };
}
