import { delimiter } from 'node:path';
import { kindAt } from '../base/file-kind.ts';

/** Where OpenEnv's RFC "Generic Task Support" mounts tasks in a container. */
const CUSTOM_TASKS = '/opt/openenv/custom_tasks';

/** Task folders of a container image: those of `TASKWRIGHT_TASKS`, otherwise the RFC's folder if it exists. */
export async function readyTaskFolders(env: NodeJS.ProcessEnv, customTasks = CUSTOM_TASKS): Promise<string[]> {
  const folders = (env['TASKWRIGHT_TASKS'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.length > 0) return folders;
  const kind = await kindAt(customTasks);
  return kind === 'folder' || kind === 'unknown' ? [customTasks] : [];
}
