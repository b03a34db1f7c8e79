import { setTimeout as pause } from 'node:timers/promises';
import type { RunningDesktop } from './desktop.ts';
import { type OsworldStep, osworldPath } from './osworld-config.ts';

/** Programs with other names than on OSWorld's machine. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'google-chrome': 'chromium',
  'chromium-browser': 'chromium',
  'gnome-terminal': 'xterm',
  gedit: 'l3afpad',
  nautilus: 'pcmanfm',
};
/** The time limit for a command of a step in ms. */
const COMMAND_LIMIT = 60_000;

/** Executes one step of OSWorld's `config`. */
export async function takeStep(step: OsworldStep, desktop: RunningDesktop): Promise<void> {
  switch (step.type) {
    case 'launch':
      return desktop.launch(localCommand(step.parameters.command));
    case 'execute':
    case 'command': {
      const command = localCommand(step.parameters.command);
      const limit = { timeout: COMMAND_LIMIT };
      await (typeof command === 'string' ? desktop.workspace.run(command, limit) : desktop.run(command, limit));
      return;
    }
    case 'open':
      return desktop.open(osworldPath(step.parameters.path));
    case 'activate_window':
      return desktop.activate(step.parameters.window_name);
    case 'sleep':
      return pause(step.parameters.seconds * 1_000);
    case 'upload_file':
      for (const { local_path, path } of step.parameters.files) await desktop.copyIn(local_path, osworldPath(path));
  }
}

/** The command with this desktop's programs and paths. */
function localCommand(command: string | readonly string[]): string | readonly string[] {
  if (typeof command === 'string') return command;
  const [program = '', ...args] = command;
  return [PROGRAMS[program] ?? program, ...args.map(osworldPath)];
}
