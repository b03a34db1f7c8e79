import { resolve } from 'node:path';
import { openRun, type RecordedRun } from '../../runs/store.ts';
import type { Step } from '../../runs/trace.ts';
import { TraceError } from '../../runs/trace-file.ts';
import { type Command, type CommandContext, EXIT, UsageError } from '../command.ts';
import { stepLines, verdictLines } from '../report.ts';

async function run({ positionals, cwd, json, output }: CommandContext): Promise<number> {
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) {
    throw new UsageError('no_path', 'Name the folder of one run: taskwright show TRACE_DIR.');
  }
  let recorded: RecordedRun;
  let steps: readonly Step[];
  try {
    recorded = await openRun(resolve(cwd, folder));
    steps = await recorded.steps();
  } catch (error) {
    if (error instanceof TraceError) throw new UsageError(error.code, error.message, { cause: error });
    throw error;
  }
  const { record, header, running } = recorded;
  if (json) {
    output.json({ ...record, steps });
    return EXIT.fine;
  }
  const paint: typeof output.paint = (style, text) => output.paint(style, text);
  output.print(paint('bold', record.prompt));
  output.print(
    paint('dim', `${record.file}#${record.task_id}  agent ${header.agent}  seed ${record.seed}  ${record.started_at}`),
  );
  for (const step of steps) for (const line of stepLines(step, paint)) output.print(line);
  for (const line of verdictLines(record, paint)) output.print(line);
  if (running) output.note('This run is still going on.');
  return EXIT.fine;
}

export const show: Command = {
  name: 'show',
  summary: 'Shows a recorded run: its steps, its verdict and the reasons.',
  usage: 'TRACE_DIR [--json]',
  options: {},
  help: [['--json', 'Print the run as JSON, with prompt, grade and steps']],
  run,
};
