import * as vscode from 'vscode';
import type { LiveRun } from './live-run.ts';

/** Copies what an external agent needs to connect to a run that waits for it. */
export async function copyForAgent(run: LiveRun, what: 'address' | 'token' | 'configuration'): Promise<void> {
  const address = run.agentAddress;
  if (address === null) return;
  const { url, token } = address;
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  const texts = {
    address: url,
    token,
    // The form that most clients read.
    configuration: JSON.stringify({ mcpServers: { taskwright: server } }, null, 2),
  };
  await vscode.env.clipboard.writeText(texts[what]);
}
