import { refusal } from '../../language/findings/diagnose.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';
import { shownPath } from '../paths.ts';
import { select } from '../select.ts';

async function run({ positionals, cwd, json, output }: CommandContext): Promise<number> {
  const { tasks } = await select(positionals, cwd);
  const rows = tasks.flatMap(({ file, row, own }) => {
    const { task } = row;
    if (task === null) return [];
    const { id, index, era, prompt, env, tags, setup, evaluate, max_steps, range } = task;
    const valid = refusal(file, row, own) === null;
    return [{ file: file.file, index, id, era, prompt, env, tags, setup, evaluate, max_steps, range, valid }];
  });
  if (json) output.json(rows);
  else if (rows.length === 0) output.note('No tasks found.');
  else {
    const addresses = rows.map((row) => `${shownPath(row.file, cwd)}#${row.id ?? row.index}`);
    const width = Math.max(...addresses.map((address) => address.length));
    for (const [index, row] of rows.entries()) {
      const prompt = (row.prompt ?? '').replace(/\s+/g, ' ').slice(0, 80);
      const address = (addresses[index] ?? '').padEnd(width);
      const flaw = row.valid ? '' : output.paint('yellow', '  cannot run (see taskwright validate)');
      output.print(`${address}  ${row.env.type.padEnd(12)}  ${output.paint('dim', prompt)}${flaw}`);
    }
  }
  return EXIT.fine;
}

export const list: Command = {
  name: 'list',
  summary: 'Lists the tasks in files and folders.',
  usage: 'PATH... [--json]',
  takesTasks: true,
  options: {},
  help: [['--json', 'Print the tasks as JSON: file, index, id, prompt, environment, calls, …']],
  run,
};
