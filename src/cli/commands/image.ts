import { basename, resolve } from 'node:path';
import { kindAt } from '../../base/file-kind.ts';
import { refusal } from '../../language/findings/diagnose.ts';
import { isServerError } from '../../placement/placement.ts';
import { displayPath } from '../../runs/selection/display-path.ts';
import { select, selectedTasks } from '../../runs/selection/select-tasks.ts';
import { UsageError } from '../../runs/usage-error.ts';
import { type Command, type CommandContext, EXIT, textOption } from '../command.ts';
import { printBuild } from '../progress.ts';
import { countText, noteRefusals } from '../report.ts';

/** The name of an image: `[host[:port]/]path[:tag]`. */
const NAME =
  /^(?:[\w](?:[\w.-]*\w)?(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?$/;

async function run(context: CommandContext): Promise<number> {
  const { positionals, cwd, json, output, signal, values } = context;
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new UsageError('no_path', 'Specify one folder of tasks.');
  const folder = resolve(cwd, path);
  const kind = await kindAt(folder);
  if (kind === 'absent' || kind === 'file') {
    throw new UsageError(
      'no_folder',
      `${displayPath(folder, cwd)} is not a folder. Specify the folder that contains the tasks.`,
    );
  }
  const tag = textOption(context, 'tag') ?? defaultTag(folder);
  if (!NAME.test(tag)) {
    throw new UsageError('bad_option', `“${tag}” is not a valid image name. Use a name such as shop-tasks:1.0.`);
  }
  const tasks = selectedTasks(await select([folder], cwd));
  if (tasks.length === 0) throw new UsageError('no_tasks', `No tasks found in ${displayPath(folder, cwd)}.`);
  const refusals = tasks.filter(({ file, row, userFunctions }) => refusal(file, row, userFunctions) !== null).length;
  noteRefusals(refusals, tasks.length, output);
  try {
    const taskImage = await context.buildTaskImage({
      folder,
      tag,
      solutions: values['with-solutions'] === true,
      signal,
      progress: (text) => output.progress(text),
      onBuild: (build) => printBuild(build, output, values['verbose'] === true),
    });
    output.progress('');
    if (json) output.json({ ...taskImage, tasks: tasks.length });
    else {
      output.print(`${taskImage.tag}  ${countText(tasks.length, 'task')}, ${countText(taskImage.files, 'file')}`);
      output.note(`To run the tasks: docker run --rm ${taskImage.tag} taskwright run`);
    }
    return EXIT.fine;
  } catch (error) {
    output.progress('');
    if (signal.aborted) return EXIT.interrupted;
    if (!isServerError(error)) throw error;
    if (json) output.json({ error: { message: error.message, code: error.code } });
    else output.note(output.paintNote('red', error.message));
    return EXIT.not;
  }
}

/** `shop-tasks` for the folder `Shop`. */
function defaultTag(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  if (name === '') return 'taskwright-tasks';
  return name.endsWith('tasks') ? name : `${name}-tasks`;
}

export const image: Command = {
  name: 'image',
  summary: 'Builds a Docker image that contains tasks.',
  usage: 'FOLDER [--tag NAME] [--with-solutions] [--json]',
  help: [
    ['FOLDER', 'Folder with task files, their pages, and functions'],
    ['--tag NAME', 'Name of the image. Default: the name of the folder, for example shop-tasks'],
    ['--with-solutions', 'Include solutions (*.actions) and agents (*.agent.*)'],
    ['--json', 'Print {tag, id, base, tasks, files, bytes} as JSON'],
    ['--verbose', 'Print the output of the build'],
  ],
  run,
};
