import { request } from 'node:http';
import type { AgentAddress, AgentContext } from '../../../src/agents/agent-kind.ts';
import { type OutsideLimits, outsideAgent } from '../../../src/agents/mcp/outside-agent.ts';
import type { RunPlan } from '../../../src/runs/run/plan.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { attempt } from '../runs/attempt.ts';
import { type FakeAnswers, FakePlacement } from '../runs/fake-placement.ts';

/** The environment of these runs. */
export const BROWSER = { type: 'hud-browser' };
const GENEROUS: OutsideLimits = {
  connectMs: 60_000,
  silenceMs: 60_000,
  leftMs: 60_000,
  waiting: 16,
  perMinute: 10_000,
  total: 10_000,
};

/** A run that waits for an external agent. */
export async function waitingRun(
  of: { task?: Partial<Task>; plan?: Partial<RunPlan>; answers?: FakeAnswers; limits?: Partial<OutsideLimits> } = {},
) {
  const placement = new FakePlacement(of.answers);
  const limits = { ...GENEROUS, ...of.limits };
  const cancelled = new AbortController();
  const offered = Promise.withResolvers<AgentAddress>();
  const waiting: boolean[] = [];
  const environment = of.task?.env ?? BROWSER;
  const client = outsideAgent(
    {
      cwd: '',
      program: '',
      variables: [],
      environment,
      manualInput: null,
      log: () => {},
      show: () => {},
      offer: (address) => {
        waiting.push(address !== null);
        if (address !== null) offered.resolve(address);
      },
    } satisfies AgentContext,
    limits,
  );
  const run = attempt({
    task: { env: environment, prompt: 'Buy the lamp.', ...of.task },
    plan: { agent: 'mcp', client, ...of.plan },
    placement,
    signal: cancelled.signal,
  });
  /** The last request was the last one of the agent. */
  const vanish = async (): Promise<void> => {
    limits.silenceMs = 1;
    await ask(await offered.promise, { headers: { authorization: `Bearer ${(await offered.promise).token}` } });
  };
  const cancel = async () => {
    cancelled.abort();
    return (await run).record;
  };
  return { run, placement, waiting, address: offered.promise, vanish, cancel };
}

/** The status of a plain request, and the body of its answer. */
export function ask(
  { url }: AgentAddress,
  of: { method?: string; path?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', path, headers = {}, body = '' } = of;
    const to = new URL(path ?? url, url);
    const sent = request(to, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The same for a request of MCP, sent with the token of the run. */
export function askMcp(
  address: AgentAddress,
  of: { method: string; params: object },
): Promise<{ status: number; body: string }> {
  const headers = {
    authorization: `Bearer ${address.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return ask(address, { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...of }) });
}
