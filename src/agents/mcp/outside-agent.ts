import { describeDialog } from '../../environments/dialog.ts';
import type { Agent, Answer, Reply, RunInspector, Turn } from '../agent.ts';
import { AgentError } from '../agent-error.ts';
import type { AgentContext } from '../agent-kind.ts';
import { HANDLE_DIALOG } from './browser-tools.ts';
import type { Limits } from './guard.ts';
import { loadMcp } from './load.ts';
import { agentPort, type WaitingRun } from './port.ts';
import type { AgentServer } from './server/main.ts';
import { type Tool, ToolError, type ToolListing, type ToolResult, type ToolUse, textResult } from './tool.ts';
import { toolsOf } from './tools.ts';

/** How long a run waits for a client, in ms, and how many requests it answers. */
export interface OutsideLimits extends Limits {
  /** For its first request. */
  readonly connectMs: number;
  /** For the next request when the last one is answered. */
  readonly silenceMs: number;
  /** For the next request after a client reported that it leaves. Another may come: some clients connect again for each call. */
  readonly leftMs: number;
  /** Calls that wait for their turn. */
  readonly waiting: number;
}

const LIMITS: OutsideLimits = {
  connectMs: 10 * 60_000,
  silenceMs: 5 * 60_000,
  leftMs: 60_000,
  waiting: 16,
  perMinute: 600,
  total: 10_000,
};

/** An agent that connects to the run: it gets the tools of the environment, and nothing else. */
export function outsideAgent(context: AgentContext, limits: OutsideLimits = LIMITS): Agent {
  return new OutsideAgent(context, limits);
}

const OVER: ToolResult = textResult('The task is over. No more actions are possible.', true);

class OutsideAgent implements Agent, AgentServer {
  readonly #context: AgentContext;
  readonly #limits: OutsideLimits;
  #inspector: RunInspector | null = null;
  #waitingRun: WaitingRun | null = null;
  #tools: readonly Tool[] = [];
  #turn: Turn | null = null;
  /** The run waits for an answer. */
  #pendingAnswer: PromiseWithResolvers<Answer> | null = null;
  /** Resolves the call that waits for the turn after its answer; with null if the run is over. */
  #resolveTurn: ((next: Turn | null) => void) | null = null;
  /** Settles with the last call: calls run one after the other. */
  #calls: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #finishing = false;
  #over = false;
  /** Requests that are not answered yet. */
  #requests = 0;
  #connected = false;
  /** The last client has reported that it leaves. */
  #left = false;
  /** The user can see where to connect. */
  #offered = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: AgentContext, limits: OutsideLimits) {
    this.#context = context;
    this.#limits = limits;
  }

  attach(inspector: RunInspector): void {
    this.#inspector = inspector;
  }

  async act(turn: Turn, signal: AbortSignal): Promise<Reply> {
    if (this.#waitingRun === null) await this.#open(turn);
    if (this.#finishing) return { actions: null };
    signal.throwIfAborted();
    const answer = Promise.withResolvers<Answer>();
    this.#pendingAnswer = answer;
    this.#show(turn);
    this.#watch();
    try {
      return { actions: await answer.promise };
    } finally {
      clearTimeout(this.#timer);
    }
  }

  finish(turn: Turn): void {
    this.#show(turn);
  }

  async close(): Promise<void> {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#withdraw();
    this.#show(null);
    await this.#waitingRun?.close();
  }

  get exhausted(): boolean {
    return this.#finishing;
  }

  get instructions(): string {
    return `Your task: ${this.#turn?.prompt ?? ''}\n\nUse the tools to do it, and call ${this.#finish} when you are done.`;
  }

  /** The name of the tool that ends the task, which is the last one. */
  get #finish(): string {
    return this.#tools.at(-1)?.name ?? 'finish';
  }

  get tools(): readonly ToolListing[] {
    return this.#tools.map(({ use: _, ...listing }) => listing);
  }

  startRequest(): () => void {
    this.#requests += 1;
    this.#connected = true;
    this.#left = false;
    this.#withdraw();
    this.#watch();
    return () => {
      this.#requests -= 1;
      this.#watch();
    };
  }

  left(): void {
    this.#left = this.#connected;
    this.#watch();
  }

  async call(name: string, args: unknown): Promise<ToolResult> {
    const tool = this.#tools.find((one) => one.name === name);
    if (tool === undefined) {
      const names = this.#tools.map((one) => one.name).join(', ');
      return textResult(`There is no tool ${name}. The tools are ${names}.`, true);
    }
    if (this.#waiting >= this.#limits.waiting) return textResult('Too many calls at a time.', true);
    let use: ToolUse;
    try {
      use = tool.use(args);
    } catch (error) {
      if (error instanceof ToolError) return textResult(error.message, true);
      throw error;
    }
    this.#waiting += 1;
    const result = this.#calls.then(() => this.#carryOut(use));
    this.#calls = result;
    try {
      return await result;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Waits for a client, and shows the user where it can connect. */
  async #open(turn: Turn): Promise<void> {
    this.#turn = turn;
    this.#tools = toolsOf(this.#context.environment, this.#inspector?.actions ?? null, this.#inspector?.offers);
    const [{ handlerOf }, port] = await Promise.all([loadMcp(), agentPort()]);
    // The run ended while the server was loaded.
    if (this.#over) return;
    this.#waitingRun = port.add(handlerOf(this), this.#limits);
    this.#offered = true;
    this.#context.offer(this.#waitingRun.address);
  }

  #withdraw(): void {
    if (this.#offered) this.#context.offer(null);
    this.#offered = false;
  }

  async #carryOut(use: ToolUse): Promise<ToolResult> {
    const turn = this.#turn;
    if (this.#over || this.#finishing || turn === null) return OVER;
    if (use.kind === 'look') return resultOf(turn, true);
    if (use.kind === 'finish') {
      this.#finishing = true;
      this.#give(use.response === null ? null : { type: 'response', text: use.response });
      return textResult('The task is over.');
    }
    const next = Promise.withResolvers<Turn | null>();
    this.#resolveTurn = next.resolve;
    this.#give([...use.actions]);
    const nextTurn = await next.promise;
    return nextTurn === null ? OVER : resultOf(nextTurn, false);
  }

  #give(answer: Answer): void {
    this.#pendingAnswer?.resolve(answer);
    this.#pendingAnswer = null;
  }

  #show(turn: Turn | null): void {
    this.#turn = turn ?? this.#turn;
    this.#resolveTurn?.(turn);
    this.#resolveTurn = null;
  }

  /** A client that does not come, or does not come back, ends the run. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#pendingAnswer === null || this.#requests > 0) return;
    const { connectMs, silenceMs, leftMs } = this.#limits;
    const limit = this.#left ? leftMs : this.#connected ? silenceMs : connectMs;
    this.#timer = setTimeout(() => this.#pendingAnswer?.reject(this.#absence()), limit);
  }

  #absence(): AgentError {
    const { connectMs, silenceMs } = this.#limits;
    if (!this.#left && !this.#connected) {
      const message = `No agent connected within ${seconds(connectMs)}. Connect it to the address of the run while the run waits.`;
      return new AgentError('agent_absent', message);
    }
    const what = this.#left ? 'ended its connection' : `sent nothing for ${seconds(silenceMs)}`;
    return new AgentError('agent_gone', `The agent ${what} and did not call ${this.#finish}.`);
  }
}

function seconds(ms: number): string {
  return ms < 60_000 ? `${ms / 1000} seconds` : `${Math.round(ms / 60_000)} minutes`;
}

/** What the environment shows, without its reward. */
function resultOf({ prompt, observation, terminated, error }: Turn, again: boolean): ToolResult {
  const { text, screenshot, data, dialog } = observation;
  const parts: string[] = [];
  if (again) parts.push(`Task: ${prompt}`);
  else if (error !== null) parts.push(`The action failed: ${error.message}`);
  if (dialog !== undefined) parts.push(`${describeDialog(dialog)}. Answer it with ${HANDLE_DIALOG}.`);
  if (text !== null && text !== prompt) parts.push(text);
  else if (text === null && data !== undefined) parts.push(JSON.stringify(data));
  if (terminated) parts.push('The environment has ended the task.');
  const picture =
    screenshot === null
      ? []
      : [
          {
            type: 'image' as const,
            data: Buffer.from(screenshot.data).toString('base64'),
            mimeType: screenshot.type === 'png' ? 'image/png' : 'image/jpeg',
          },
        ];
  const lines = parts.length === 0 && picture.length === 0 ? ['Done.'] : parts;
  return {
    content: [...lines.map((part) => ({ type: 'text' as const, text: part })), ...picture],
    isError: !again && error !== null,
  };
}
