import { ProtocolError } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { Json } from '../../base/json.ts';
import type { CallResult } from '../../functions/declaration.ts';
import { printJson } from '../../python/numbers.ts';
import { EnvironmentError } from '../environment.ts';
import type { McpConnection } from './client/connection.ts';
import { resultSchema, type Seen } from './observation.ts';
import { readPrompt } from './prompt.ts';
import { textOf } from './reward.ts';
import type { Scenario } from './spec.ts';
import { matches } from './tools.ts';

/** The tool that gets the answer of the agent; it is in no list of tools. */
export const SUBMIT = '_hud_submit';

const promptSchema = z.looseObject({
  messages: z.array(z.looseObject({ content: z.union([z.looseObject({ text: z.string() }), z.custom<Json>()]) })),
});
const listedSchema = z.looseObject({
  name: z.string(),
  _meta: z
    .looseObject({
      exclude_tools: z.array(z.string()).nullish().catch(null),
      allowed_tools: z.array(z.string()).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});
const resourceSchema = z.looseObject({ contents: z.array(z.looseObject({ text: z.string() })).min(1) });

/** How a scenario begins. */
export interface Beginning {
  readonly prompt: string;
  /** What the agent sees, if that is more than the prompt: its last picture. */
  readonly seen: Seen | null;
  /** Whether the agent has a tool. */
  offers(tool: string): boolean;
}

/** A scenario of HUD 0.5 in one session: its prompt, the answer, and its grade. */
export class Scenarios {
  /** Without its environment. */
  readonly name: string;
  readonly #connections: readonly McpConnection[];
  readonly #scenario: Scenario;
  /** The session with it, and its full name. */
  #found: { readonly connection: McpConnection; readonly id: string } | null = null;
  #graded = false;

  constructor(connections: readonly McpConnection[], scenario: Scenario) {
    this.#connections = connections;
    this.#scenario = scenario;
    this.name = scenario.name.slice(scenario.name.indexOf(':') + 1);
  }

  /** Sets the scenario up. Rejects with `EnvironmentError` or `ProtocolError`. */
  async begin(signal: AbortSignal): Promise<Beginning> {
    const { connection, id, hides, rescues } = await this.#find(signal);
    this.#found = { connection, id };
    const args = Object.fromEntries(
      // The arguments of a prompt are texts.
      Object.entries(this.#scenario.args).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : printJson(value, this.#scenario.numbers ?? {}, ['args', key]),
      ]),
    );
    const params = { name: id, ...(Object.keys(args).length === 0 ? {} : { arguments: args }) };
    const { messages } = await connection.ask(promptSchema, 'prompts/get', params, signal);
    const texts = messages.flatMap(({ content }) => {
      const { text } = content as { readonly text?: unknown };
      return typeof text === 'string' ? [text] : [];
    });
    const seen = readPrompt(messages as Json);
    return {
      prompt: texts.join('\n'),
      seen: seen?.screenshot == null ? null : seen,
      offers: (tool) =>
        !hides.some((pattern) => matches(tool, pattern)) || rescues.some((pattern) => matches(tool, pattern)),
    };
  }

  /** Submits the answer, if there is one, and reads the grade. Rejects with `ProtocolError`. */
  async grade(answer: string | null, signal: AbortSignal): Promise<{ readonly text: string } | GradeFailure> {
    const { connection, id } = this.#found ?? {};
    if (connection === undefined || id === undefined) throw new Error('The scenario has not begun.');
    if (this.#graded) {
      const message = 'HUD 0.5 grades a scenario once: run the task again to grade it again.';
      return { error: { code: 'call_threw', message } };
    }
    this.#graded = true;
    if (answer !== null) {
      const params = { name: SUBMIT, arguments: { scenario: this.name, answer } };
      const result = await connection.ask(resultSchema, 'tools/call', params, signal);
      if (result.isError === true) {
        return { error: { code: 'call_threw', message: `The answer was not accepted: ${textOf(result)}` } };
      }
    }
    try {
      const read = await connection.ask(resourceSchema, 'resources/read', { uri: id }, signal);
      return { text: read.contents[0]?.text ?? '' };
    } catch (error) {
      if (!(error instanceof ProtocolError) || !error.message.startsWith('Resource not found')) throw error;
      // The prompt of this session exists, so its resource does, too.
      const message = `The scenario “${this.name}” raised an exception while it graded. HUD 0.5 says only “${error.message}”; the log of the environment may say more.`;
      return { error: { code: 'call_threw', message } };
    }
  }

  /** The session that has the scenario, by its full name, else by its own: environments change their names. */
  async #find(signal: AbortSignal) {
    const { environment, name: wanted } = this.#scenario;
    const full = wanted.includes(':') || environment === null ? wanted : `${environment}:${wanted}`;
    const listed = (
      await Promise.all(
        this.#connections.map(async (connection) =>
          (
            await connection.list(listedSchema, 'prompts/list', 'prompts', signal)
          ).map(({ name, _meta }) => ({
            connection,
            id: name,
            hides: _meta?.exclude_tools ?? [],
            rescues: _meta?.allowed_tools ?? [],
          })),
        ),
      )
    ).flat();
    const [nearby, ...others] = listed.filter(({ id }) => id.split(':')[1] === this.name);
    const found = listed.find(({ id }) => id === full) ?? (others.length === 0 ? nearby : undefined);
    if (found !== undefined) return found;
    const names = listed.map(({ id }) => id).filter((id) => id.includes(':'));
    const message = `The environment has no scenario “${full}”. It has ${names.length === 0 ? 'none' : names.join(', ')}.`;
    throw new EnvironmentError('start_failed', message);
  }
}

type GradeFailure = Extract<CallResult, { readonly error: unknown }>;
