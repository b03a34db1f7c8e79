import { Server } from '@modelcontextprotocol/server';
import { version } from '../../../../../package.json';
import type { ToolListing, ToolResult } from '../tool.ts';

/** What an MCP server offers. */
export interface ToolServer {
  /** What a client tells its model before the first call. */
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
    const { content, isError } = await tool.call(params.name, params.arguments ?? {}, mcpReq.signal);
    return { content: content.map((part) => ({ ...part })), isError };
  });
  return server;
}
