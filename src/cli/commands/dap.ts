import { type Command, EXIT } from '../command.ts';
import { terminalHost } from '../debug-host.ts';

export const dap: Command = {
  name: 'dap',
  summary: 'Runs a debug adapter on standard streams for other editors.',
  usage: '',
  help: [
    ['--verbose', "Print the environment server's log to standard error"],
    [
      '',
      'Launch with {"task": "FILE#ID", "agent"?, "placement"?, "seed"?, "stopOnEntry"?, "keepEnvironment"?}, or with {"run": "TRACE_DIR"} to replay',
    ],
  ],
  run: async (context) => {
    // Loaded here, because no other command needs the debug adapter.
    const { TaskDebugSession } = await import('../../debugger/adapter.ts');
    const session = new TaskDebugSession(terminalHost(context));
    context.signal.addEventListener('abort', () => session.shutdown(), { once: true });
    session.start(context.streams.input, context.streams.output);
    await session.finished;
    return EXIT.fine;
  },
};
