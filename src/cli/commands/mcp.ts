import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { loadMcp } from '../../agents/mcp/load.ts';
import { textResult } from '../../agents/mcp/tool.ts';
import { UsageError } from '../../runs/usage-error.ts';
import { listingOf } from '../../task-tools/listing.ts';
import { type ToolHost, useTool } from '../../task-tools/tool.ts';
import { TASK_TOOLS } from '../../task-tools/tools.ts';
import { type Command, EXIT } from '../command.ts';
import { Output, type Sink } from '../output.ts';

/** Keeps what a command prints. */
class TextSink implements Sink {
  text = '';
  readonly isTTY = false;
  readonly columns = 200;
  write(text: string): void {
    this.text += text;
  }
}

const INSTRUCTIONS =
  'Tools for tasks of AI agents. Validate tasks before you run them, run them to see their rewards, and read runs to see why.';

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serves tools for coding agents that write tasks over MCP on standard streams.',
  usage: '[FOLDER]',
  help: [['FOLDER', 'The folder with the tasks. Default: the current folder']],
  run: async (context) => {
    const [folder = '.', ...more] = context.positionals;
    if (more.length > 0) throw new UsageError('bad_option', 'Specify one folder.');
    const host: ToolHost = {
      folder: resolve(context.cwd, folder),
      runOptions: [],
      run: async (args, signal) => {
        const [out, notes] = [new TextSink(), new TextSink()];
        const output = new Output(out, notes, {});
        const exit = await context.invoke(args, { output, cwd: host.folder, signal });
        return { out: out.text, notes: notes.text, exit };
      },
    };
    const { serveOnStreams } = await loadMcp();
    const closing = new AbortController();
    const signals = [context.signal, closing.signal];
    const uses = new Set<Promise<unknown>>();
    await serveOnStreams(
      {
        instructions: INSTRUCTIONS,
        tools: TASK_TOOLS.map(listingOf),
        call: async (name, args, signal) => {
          const tool = TASK_TOOLS.find((one) => one.name === name);
          if (tool === undefined) return textResult(`There is no tool ${name}.`, true);
          const use = useTool(tool, args, host, AbortSignal.any([signal, ...signals]));
          uses.add(use);
          return await use.finally(() => uses.delete(use));
        },
      },
      context.streams as { input: Readable; output: Writable },
      context.signal,
    );
    // Runs in progress end as cancelled before the process ends.
    closing.abort();
    await Promise.allSettled(uses);
    return EXIT.fine;
  },
};
