import { readOrdinaryFile } from '../../../base/file-kind.ts';
import { isResourceExhausted } from '../../../base/resource-exhausted.ts';
import { isPython, pythonFiles } from '../files.ts';
import { modulePaths, taskModule } from '../task-module.ts';

/** Whether a Python file can register task classes. */
export function mayRegister(text: string): boolean {
  return text.includes('register_custom_task');
}

/** Whether a Python file can register tasks in OpenEnv's registry. */
export function mayUseRegistry(text: string): boolean {
  return text.includes('registry.register');
}

/** The Python files in the folder that seem to register tasks, with the module in `OPENENV_TASK_MODULE`. */
export async function taskClassFiles(folder: string): Promise<string[]> {
  const moduleFiles = modulePaths(await taskModule(folder)).filter(isPython);
  const files: string[] = [];
  for (const file of new Set([...(await unless(pythonFiles(folder), [])), ...moduleFiles])) {
    const text = (await unless(readOrdinaryFile(file), Buffer.of())).toString('utf8');
    if (mayRegister(text) || mayUseRegistry(text)) files.push(file);
  }
  return files;
}

/** What is read, or a replacement if it cannot be read: no class can be loaded from there. */
async function unless<T>(reading: Promise<T>, replacement: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    return replacement;
  }
}
