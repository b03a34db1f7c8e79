/** Commands that environments of this machine are most likely wanted for. */
const COMMANDS = ['run', 'rescore'];

/**
 * Whether the environment server of this machine is started before the command is even loaded: to load it and to read
 * the tasks takes as long as the server takes to start. Wrong only costs a process that is ended at once.
 */
export function startsServerAhead(args: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const [command, ...rest] = args;
  if (command === undefined || !COMMANDS.includes(command) || rest.length === 0) return false;
  const elsewhere = rest.some((arg, at) =>
    arg === '--placement' ? rest[at + 1] === 'docker' : arg === '--placement=docker',
  );
  if (elsewhere || env['TASKWRIGHT_PLACEMENT'] === 'docker') return false;
  return !rest.includes('--help') && !rest.includes('-h');
}
