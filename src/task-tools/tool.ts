import type * as z from 'zod';
import { type ToolResult, textResult } from '../agents/mcp/tool.ts';

/** What a command of the command line printed. */
export interface Printed {
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly notes: string;
  readonly exit: number;
}

/** Where the tools of a coding agent work. */
export interface ToolHost {
  /** Absolute path; the tools use no file outside of it. */
  readonly folder: string;
  /** The options of `taskwright run` that the user's settings decide, such as the placement. */
  readonly runOptions: readonly string[];
  /** Carries out a command line of `taskwright` in the folder. */
  run(args: readonly string[], signal: AbortSignal): Promise<Printed>;
}

/** One tool for a coding agent that writes tasks. */
export interface TaskTool<Input = never> {
  readonly name: string;
  readonly title: string;
  /** For the agent's model. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** It writes no file and runs no code of the folder. */
  readonly readOnly: boolean;
  /** What it reads in the folder. */
  readonly reads: 'nothing' | 'runs' | 'tasks';
  /** It runs code of the folder, such as functions of tasks, and needs a trusted workspace. */
  readonly runsCode: boolean;
  /** Whether the user confirms it first: it runs code, or writes files. */
  confirms(input: Input): boolean;
  /** What it is about to do, for the user: `Run shop.tasks.json#order with noop`. */
  announce(input: Input): string;
  /** Rejects with `TaskToolError`, whose message is for the agent. */
  use(input: Input, host: ToolHost, signal: AbortSignal): Promise<ToolResult>;
}

/** The input of a tool cannot be used. */
export class TaskToolError extends Error {
  override readonly name = 'TaskToolError';
}

/** Carries out a tool with unchecked input. Mistakes of the agent become error results. */
export async function useTool<Input>(
  tool: TaskTool<Input>,
  input: unknown,
  host: ToolHost,
  signal: AbortSignal,
): Promise<ToolResult> {
  const result = tool.input.safeParse(input);
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
    return textResult(`${tool.name}: ${problems.join('; ')}`, true);
  }
  try {
    return await tool.use(result.data, host, signal);
  } catch (error) {
    if (error instanceof TaskToolError) return textResult(error.message, true);
    throw error;
  }
}
