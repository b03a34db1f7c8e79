import { diagnose } from '../../language/diagnose.ts';
import type { Finding, Severity } from '../../tasks/finding.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';
import { shownPath } from '../paths.ts';
import { counted } from '../report.ts';
import { select } from '../select.ts';

const COLOURS = { error: 'red', warning: 'yellow', information: 'blue', hint: 'dim' } as const;

async function run({ positionals, cwd, json, output }: CommandContext): Promise<number> {
  const { files, tasks } = await select(positionals, cwd);
  const whole = new Set(files.map(({ file }) => file.file));
  // A task named by its address: what is said about it and about its file as a whole.
  const asked = new Set(tasks.map(({ file, row }) => `${file.file}#${row.name}`));
  const findings: Finding[] = files
    .flatMap(({ file, own }) => diagnose(file, own))
    .filter(({ file, task_id }) => whole.has(file) && (task_id === undefined || asked.has(`${file}#${task_id}`)));
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  if (json) {
    output.json(
      findings.map(({ file, range, severity, code, message, task_id }) => {
        return { file, range, severity, code, message, ...(task_id === undefined ? {} : { task_id }) };
      }),
    );
  } else {
    for (const { file, range, severity, code, message } of findings) {
      const place = `${shownPath(file, cwd)}:${range.start.line + 1}:${range.start.character + 1}`;
      output.print(
        `${place}: ${output.paint(COLOURS[severity], severity)}: ${message} ${output.paint('dim', `(${code})`)}`,
      );
    }
    const count = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length;
    output.note(
      `${counted(tasks.length, 'task')} in ${counted(files.length, 'file')}: ${counted(errors, 'error')}, ${counted(count('warning'), 'warning')}`,
    );
  }
  return errors > 0 ? EXIT.badUse : EXIT.fine;
}

export const validate: Command = {
  name: 'validate',
  summary: 'Checks task files and says what is wrong, and where. Nothing is executed.',
  usage: 'PATH... [--json]',
  options: {},
  help: [['--json', 'Print a JSON list: file, range, severity, code, message, task_id']],
  run,
};
