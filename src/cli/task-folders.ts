import { delimiter } from 'node:path';
import { kindAt } from '../tasks/file-kind.ts';

/** Where the RFC "Generic Task Support" of OpenEnv mounts a person's tasks in a container. */
const CUSTOM_TASKS = '/opt/openenv/custom_tasks';

/** Folders of tasks that stand ready in a container: those of `TASKWRIGHT_TASKS`, else the RFC's where there is one. */
export async function readyTaskFolders(env: NodeJS.ProcessEnv, customTasks = CUSTOM_TASKS): Promise<string[]> {
  const named = (env['TASKWRIGHT_TASKS'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (named.length > 0) return named;
  const kind = await kindAt(customTasks);
  return kind === 'folder' || kind === 'unknown' ? [customTasks] : [];
}
