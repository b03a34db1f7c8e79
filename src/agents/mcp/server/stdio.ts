import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { serverOf, type ToolServer } from './tool-server.ts';

/** Serves tools over MCP on streams, until the input ends or the signal is aborted. */
export async function serveOnStreams(
  tools: ToolServer,
  { input, output }: { readonly input: Readable; readonly output: Writable },
  signal: AbortSignal,
): Promise<void> {
  const serving = serveStdio(() => serverOf(tools), { transport: new StdioServerTransport(input, output) });
  // Rejects when the signal is aborted.
  await Promise.race([once(input, 'end', { signal }), once(input, 'close', { signal })]).catch(() => {});
  await serving.close();
}
