import { Server, type ServerContext } from '@modelcontextprotocol/server';
import { version } from '../../../../package.json';
import type { ToolListing, ToolResult } from '../tool.ts';

/** Interval of progress notifications for clients that request them, in ms. */
const PROGRESS_MS = 5_000;

/** What an MCP server offers. */
export interface ToolServer {
  /** Instructions that a client gives its model before the first call. */
  readonly instructions: string;
  readonly tools: readonly ToolListing[];
  call(name: string, args: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** An MCP server of the tools. Over HTTP, each request has its own: no revision needs a session here. */
export function serverOf(tool: ToolServer): Server {
  const { instructions, tools } = tool;
  const server = new Server({ name: 'taskwright', version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', () => ({ tools: tools.map((tool) => ({ ...tool })) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const stop = reportProgress(mcpReq);
    try {
      const { content, isError } = await tool.call(params.name, params.arguments ?? {}, mcpReq.signal);
      return { content: content.map((part) => ({ ...part })), isError };
    } finally {
      stop();
    }
  });
  return server;
}

/** Notifies a client that requested progress that a call still runs: each notification restarts its time limit. */
function reportProgress({ _meta, notify }: ServerContext['mcpReq']): () => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const params = { progressToken, progress: seconds, message: `Running for ${seconds} seconds` };
    // The client may be gone.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}
