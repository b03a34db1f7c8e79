import { type ParseArgsConfig, parseArgs } from 'node:util';
import { version } from '../../package.json';
import type { Placement } from '../placement/placement.ts';
import { Placements } from '../placement/placements.ts';
import { UsageError } from '../runs/usage-error.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import { type Command, type CommandContext, type DockerChoice, EXIT } from './command.ts';
import { agentStdio } from './commands/agent-stdio.ts';
import { dap } from './commands/dap.ts';
import { doctor } from './commands/doctor.ts';
import { image } from './commands/image.ts';
import { list } from './commands/list.ts';
import { mcp } from './commands/mcp.ts';
import { merge } from './commands/merge.ts';
import { rescore } from './commands/rescore.ts';
import { runCommand } from './commands/run.ts';
import { serve } from './commands/serve.ts';
import { show } from './commands/show.ts';
import { validate } from './commands/validate.ts';
import type { Output } from './output.ts';

const commands: readonly Command[] = [
  list,
  validate,
  runCommand,
  merge,
  show,
  rescore,
  serve,
  doctor,
  image,
  dap,
  mcp,
  agentStdio,
];

/** What the command line needs from its process. */
export interface CommandLineHost
  extends Omit<CommandContext, 'positionals' | 'named' | 'values' | 'json' | 'placement' | 'invoke'> {
  /** Creates a placement, which is disposed at the end; see `CommandContext.placement`. */
  makePlacement(
    kind: PlacementKind,
    warm: number,
    refusedPorts: readonly number[],
    docker: DockerChoice,
  ): Promise<Placement>;
  /** Task folders of a container image; empty outside of one. */
  taskFolders(): Promise<readonly string[]>;
}

function overview(): readonly string[] {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    'Taskwright: write, run, and debug tasks for AI agents.',
    '',
    'Usage: taskwright COMMAND …',
    '',
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    '',
    'Run taskwright COMMAND --help for the options of a command, or taskwright --version for the version.',
    'Exit codes: 0 success, 1 a reward below 1 or a run that failed, 2 wrong usage, an invalid task, or no task, 130 interrupted.',
  ];
}

/** The options of a command, with those of all commands that take tasks. */
function linesOf({ help, tasks }: Command): Command['help'] {
  return tasks === undefined
    ? help
    : [...help, ['--allow-empty', 'Exit with 0 if no task is found, such as in a CI matrix']];
}

function helpOf(command: Command): readonly string[] {
  const lines = [...linesOf(command), ['--help', 'Show this help'] as const];
  const width = Math.max(...lines.map(([option]) => option.length));
  return [
    `Usage: taskwright ${command.name} ${command.usage}`,
    '',
    command.summary,
    '',
    ...lines.map(([option, text]) => `  ${option.padEnd(width)}  ${text}`),
  ];
}

/** Runs one command line. Resolves with the exit code after printing all results and errors. */
export async function runCommandLine(args: readonly string[], host: CommandLineHost): Promise<number> {
  const { output } = host;
  const [name, ...parameters] = args;
  // Determined before parsing, so that errors about arguments are printed in the requested form.
  const json = parameters.includes('--json');
  try {
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      const topic = name === 'help' ? commands.find((command) => command.name === parameters[0]) : undefined;
      printLines(topic === undefined ? overview() : helpOf(topic), output);
      return name === undefined ? EXIT.badUse : EXIT.fine;
    }
    if (name === '--version' || name === '-v') {
      output.print(version);
      return EXIT.fine;
    }
    const command = commands.find((one) => one.name === name);
    if (command === undefined) {
      const names = commands.map((one) => one.name).join(', ');
      throw new UsageError('unknown_command', `Unknown command “${name}”. Available commands: ${names}.`);
    }
    return await carryOut(command, parameters, json, host);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (json) output.json({ error: { message: error.message, code: error.code } });
    else output.note(output.paintNote('red', error.message));
    return EXIT.badUse;
  }
}

function printLines(lines: readonly string[], output: Output): void {
  for (const line of lines) output.print(line);
}

async function carryOut(
  command: Command,
  args: readonly string[],
  json: boolean,
  host: CommandLineHost,
): Promise<number> {
  const { values, positionals } = readArguments(command, args);
  if (values['help'] === true) {
    printLines(helpOf(command), host.output);
    return EXIT.fine;
  }
  let ready = 0;
  let portsToRefuse: readonly number[] = [];
  let dockerChoice: DockerChoice = { hosts: [], lanes: 1, registry: null, namespace: null };
  const placements = new Placements((kind) => host.makePlacement(kind, ready, portsToRefuse, dockerChoice));
  const defaultFolders = positionals.length === 0 && command.tasks !== undefined ? await host.taskFolders() : [];
  const context: CommandContext = {
    ...host,
    positionals: positionals.length === 0 ? defaultFolders : positionals,
    named: positionals.length > 0,
    values,
    json,
    placement: (kind, warm, refusedPorts = [], docker = dockerChoice) => {
      ready = warm;
      portsToRefuse = refusedPorts;
      dockerChoice = docker;
      return placements.get(kind);
    },
    invoke: (parameters, of) => runCommandLine(parameters, { ...host, ...of }),
  };
  try {
    return await command.run(context);
  } catch (error) {
    const isAllowed = values['allow-empty'] === true && error instanceof UsageError && error.code === 'no_tasks';
    if (!isAllowed) throw error;
    if (json && command.tasks?.none !== undefined) host.output.json(command.tasks.none);
    else host.output.note(error.message);
    return EXIT.fine;
  } finally {
    await placements.dispose();
  }
}

function readArguments(
  command: Command,
  args: readonly string[],
): { values: CommandContext['values']; positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...optionsIn(linesOf(command)), json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    });
    return { values: values as CommandContext['values'], positionals };
  } catch (error) {
    // Only the first sentence: the rest describes the API of parseArgs.
    const reason = (error as Error).message.split('. ')[0]?.replaceAll('\n', ' ').replace(/\.$/, '');
    throw new UsageError('bad_option', `${reason}. Run taskwright ${command.name} --help for usage.`);
  }
}

/** The options that a help lists: `--seed N` takes a text, `--mask` is a switch. */
function optionsIn(help: Command['help']): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    help.flatMap(([option]) => {
      const [, name, argument] = /^--([\w-]+)( .+)?$/.exec(option) ?? [];
      return name === undefined ? [] : [[name, { type: argument === undefined ? 'boolean' : 'string' }] as const];
    }),
  );
}
