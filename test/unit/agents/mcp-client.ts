import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { AgentAddress } from '../../../src/agents/agent-kind.ts';

/** The revisions of MCP with a handshake, and those without. */
export type McpEra = 'with a handshake' | 'without a handshake';

/** A client of MCP that is connected to a run until the test ends. */
export async function connect({ url, token }: AgentAddress, era: McpEra = 'without a handshake'): Promise<Client> {
  const mode = era === 'with a handshake' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** The texts of a result, and how many pictures it has. */
export function shownIn(result: Awaited<ReturnType<Client['callTool']>>): {
  readonly text: string;
  readonly pictures: number;
  readonly isError: boolean;
} {
  const texts = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const pictures = result.content.filter((part) => part.type === 'image').length;
  return { text: texts.join('\n'), pictures, isError: result.isError === true };
}
