import { UsageError } from '../../runs/usage-error.ts';
import { bridge } from '../agent-bridge.ts';
import { type Command, EXIT, textOption } from '../command.ts';

export const agentStdio: Command = {
  name: 'agent-stdio',
  summary: 'Connects an MCP client on standard streams to a run that waits for an agent.',
  usage: 'URL [--token TOKEN]',
  help: [
    ['URL', 'The address that the run prints: taskwright run ADDRESS --agent mcp'],
    ['--token TOKEN', 'The token that the run prints. Default: the environment variable TASKWRIGHT_TOKEN'],
  ],
  run: async (context) => {
    const [url] = context.positionals;
    if (url === undefined || context.positionals.length > 1 || !URL.canParse(url)) {
      throw new UsageError('bad_option', 'Specify the address of one run, such as http://127.0.0.1:41234/mcp.');
    }
    const token = textOption(context, 'token') ?? context.serving.token;
    if (token === null) {
      throw new UsageError('bad_option', 'Specify the token of the run with --token or TASKWRIGHT_TOKEN.');
    }
    await bridge({ url, token }, context.streams, context.signal);
    return EXIT.fine;
  },
};
