import { resolve } from 'node:path';
import { displayAddress } from '../../runs/selection/display-path.ts';
import { type ListedTask, listedTask } from '../../runs/selection/listed-task.ts';
import { listOwnTasks } from '../../runs/selection/own-tasks.ts';
import { type RegisteredTask, readRegistry } from '../../runs/selection/registry.ts';
import { noTasks, select, selectedTasks } from '../../runs/selection/select-tasks.ts';
import { type SelectedTask, UserFunctionNames } from '../../runs/selection/selected-task.ts';
import { shorten } from '../../tasks/label.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import { isComputed } from '../../tasks/unknown.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';
import type { Output } from '../output.ts';

async function run({ positionals, values, cwd, json, output }: CommandContext): Promise<number> {
  const isOfRegistry = values['registry'] === true;
  const paths = isOfRegistry && positionals.length === 0 ? ['.'] : positionals;
  const selection = isOfRegistry ? null : await select(paths, cwd);
  const tasks: readonly (SelectedTask & { readonly id?: string })[] =
    selection === null ? await registeredTasks(paths, cwd, output) : selectedTasks(selection);
  const rows = tasks.flatMap(({ id: registry_id, file, row, userFunctions }) => {
    const listed = listedTask({ file, row, userFunctions });
    if (listed === null) return [];
    const entry = registry_id === undefined ? listed : { registry_id, ...listed };
    const address = registry_id ?? displayAddress(file, row, cwd);
    return [{ listed: entry, address, label: row.label, hindrance: hindranceOf(listed, row) }];
  });
  if (rows.length === 0) throw noTasks(selection ?? { addresses: paths, files: [] });
  if (json) output.json(rows.map(({ listed }) => listed));
  else {
    const width = Math.max(...rows.map(({ address }) => address.length));
    for (const { listed: row, address, label, hindrance } of rows) {
      const text = shorten(row.prompt ?? '', 80);
      const prompt =
        row.id !== null || text.startsWith(label.replace(/…$/, ''))
          ? text
          : [label, text].filter((part) => part !== '').join(': ');
      const suffix = hindrance === null ? '' : output.paint('yellow', `  ${hindrance}`);
      output.print(`${address.padEnd(width)}  ${row.env.type.padEnd(12)}  ${output.paint('dim', prompt)}${suffix}`);
    }
  }
  return EXIT.fine;
}

/** Why a task cannot run, in a few words; null if it can. */
function hindranceOf({ valid }: ListedTask, row: TaskRow): string | null {
  if (valid) return null;
  return isComputed(row)
    ? 'depends on values that are only known when the program runs'
    : 'cannot run (see taskwright validate)';
}

/** The registered tasks in files and folders, and the own tasks of environments with an address. */
async function registeredTasks(
  paths: readonly string[],
  cwd: string,
  output: Output,
): Promise<readonly RegisteredTask[]> {
  const { tasks, inFiles } = await readRegistry(
    paths.map((path) => resolve(cwd, path)),
    new UserFunctionNames(),
  );
  const own = await listOwnTasks(inFiles);
  for (const note of own.notes) output.note(note);
  return [...tasks, ...own.tasks];
}

export const list: Command = {
  name: 'list',
  summary: 'Lists the tasks in files and folders.',
  usage: 'PATH... [--registry] [--json]',
  tasks: { none: [] },
  help: [
    ['--registry', 'List the registered tasks by their ids, by default those in the current folder'],
    ['--json', 'Print the tasks as JSON: file, index, id, prompt, environment, calls, …'],
  ],
  run,
};
