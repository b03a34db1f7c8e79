import { examine, type HealthLine, healthLines } from '../../doctor/doctor.ts';
import { type Command, type CommandContext, dockerHosts, EXIT } from '../command.ts';

const SIGNS = { found: ['green', '✓'], missing: ['red', '✗'], optional: ['yellow', '–'] } as const;

async function run(context: CommandContext): Promise<number> {
  const { json, output, engines } = context;
  const health = await examine(engines, process.versions.node, { hosts: dockerHosts(context) });
  if (json) output.json(health);
  else for (const line of healthLines(health)) print(line, output);
  return health.ok ? EXIT.fine : EXIT.not;
}

function print({ state, text, tried, fix }: HealthLine, output: CommandContext['output']): void {
  const [colour, sign] = SIGNS[state];
  output.print(`${output.paint(colour, sign)} ${text}${tried.length === 0 ? '' : '. Looked for:'}`);
  for (const one of tried) output.print(`    ${one}`);
  for (const one of fix) output.print(`  ${one}`);
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks the prerequisites on this machine and explains how to install what is missing.',
  usage: '[--hosts A,B,…] [--json]',
  help: [
    ['--hosts A,B,…', 'Also check these Docker hosts: addresses as in DOCKER_HOST, or contexts'],
    [
      '--json',
      'Print the findings as JSON: ok, node, browser, miniwob, python, git, desktop, docker, hosts, kubernetes',
    ],
  ],
  run,
};
