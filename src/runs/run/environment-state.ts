import { defined } from '../../base/defined.ts';
import type { StartResult, StepResult } from '../../environments/environment.ts';
import { type ListedTool, listTools } from '../../environments/mcp/listed-tools.ts';
import type { Grade } from '../../traces/trace.ts';

/** What the environment of a run has returned so far. */
export class EnvironmentState {
  /** The agent's response. A debugger can replace it. */
  response: string | null = null;
  /** The tools of an environment whose actions are calls of tools. */
  tools: readonly ListedTool[] = [];
  #start: StartResult | null = null;
  #last: StepResult | null = null;

  start(result: StartResult): void {
    this.#start = result;
    this.tools = listTools(result.actions ?? null);
    this.observe(result);
  }

  observe(result: StepResult): void {
    this.#last = result;
    this.response = result.info.response ?? this.response;
  }

  /** The last result. Throws before the first. */
  get last(): StepResult {
    if (this.#last === null) throw new Error('The environment returned no observation.');
    return this.#last;
  }

  /** The answer to reset; absent fields before it. */
  get startResult(): Partial<StartResult> {
    return this.#start ?? {};
  }

  /** The environment's own reward after the last step. */
  get reward(): number | null {
    return this.#last?.reward ?? null;
  }

  get isTerminated(): boolean {
    return this.#last?.terminated === true;
  }

  /** What the grade of a run reports of its environment: its own reward, and its warning that the task may not run as written. */
  get gradeInfo(): Grade['info'] {
    return defined({ environment_reward: this.reward ?? undefined, warning: this.#start?.warning });
  }
}
