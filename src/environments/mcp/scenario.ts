import { ProtocolError } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { Json } from '../../base/json.ts';
import type { CallResult } from '../../functions/declaration.ts';
import { printJson } from '../../python/numbers.ts';
import { EnvironmentError, type Observation } from '../environment.ts';
import type { McpConnection } from './client/connection.ts';
import { resultSchema } from './observation.ts';
import { readPrompt } from './prompt.ts';
import { resultText } from './reward.ts';
import type { Scenario } from './spec.ts';
import { matches } from './tools.ts';

/** The tool that receives the answer of the agent. No list of tools contains it. */
export const SUBMIT = '_hud_submit';

const promptSchema = z.looseObject({
  messages: z.array(z.looseObject({ content: z.union([z.looseObject({ text: z.string() }), z.custom<Json>()]) })),
});
const scenarioSchema = z.looseObject({
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

/** The start of a scenario. */
export interface ScenarioStart {
  readonly prompt: string;
  /** The prompt with its last picture; null if it has no picture. */
  readonly observation: Observation | null;
  /** Whether the agent has a tool. */
  offers(tool: string): boolean;
}

/** A scenario of HUD 0.5 in one session: its prompt, the answer, and its grade. */
export class Scenarios {
  /** Without its environment. */
  readonly name: string;
  readonly #connections: readonly McpConnection[];
  readonly #scenario: Scenario;
  /** The connection to its server, and its full name. */
  #location: { readonly connection: McpConnection; readonly id: string } | null = null;
  #isGraded = false;

  constructor(connections: readonly McpConnection[], scenario: Scenario) {
    this.#connections = connections;
    this.#scenario = scenario;
    this.name = scenario.name.slice(scenario.name.indexOf(':') + 1);
  }

  /** Rejects with `EnvironmentError` or `ProtocolError`. */
  async start(signal: AbortSignal): Promise<ScenarioStart> {
    const { connection, id, hides, rescues } = await this.#find(signal);
    this.#location = { connection, id };
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
    const observation = readPrompt(messages as Json);
    return {
      prompt: texts.join('\n'),
      observation: observation?.screenshot == null ? null : observation,
      offers: (tool) =>
        !hides.some((pattern) => matches(tool, pattern)) || rescues.some((pattern) => matches(tool, pattern)),
    };
  }

  /** Submits the answer, if there is one, and reads the grade. Rejects with `ProtocolError`. */
  async grade(answer: string | null, signal: AbortSignal): Promise<{ readonly text: string } | GradeFailure> {
    if (this.#location === null) throw new Error('The scenario has not started.');
    const { connection, id } = this.#location;
    if (this.#isGraded) {
      const message = 'HUD 0.5 grades a scenario once: run the task again to grade it again.';
      return { error: { code: 'call_threw', message } };
    }
    this.#isGraded = true;
    if (answer !== null) {
      const params = { name: SUBMIT, arguments: { scenario: this.name, answer } };
      const result = await connection.ask(resultSchema, 'tools/call', params, signal);
      if (result.isError === true) {
        return { error: { code: 'call_threw', message: `The answer was not accepted: ${resultText(result)}` } };
      }
    }
    try {
      const read = await connection.ask(resourceSchema, 'resources/read', { uri: id }, signal);
      return { text: read.contents[0]?.text ?? '' };
    } catch (error) {
      if (!(error instanceof ProtocolError) || !error.message.startsWith('Resource not found')) throw error;
      // The prompt of this session exists, so its resource exists too.
      const message = `The scenario “${this.name}” raised an exception while it graded. HUD 0.5 says only “${error.message}”; the log of the environment may say more.`;
      return { error: { code: 'call_threw', message } };
    }
  }

  /** Finds the scenario by its full name, otherwise without the name of the environment, which may have changed. */
  async #find(signal: AbortSignal) {
    const { environment, name } = this.#scenario;
    const fullName = name.includes(':') || environment === null ? name : `${environment}:${name}`;
    const lists = await Promise.all(
      this.#connections.map(async (connection) => {
        const prompts = await connection.list(scenarioSchema, 'prompts/list', 'prompts', signal);
        return prompts.map(({ name: id, _meta }) => ({
          connection,
          id,
          hides: _meta?.exclude_tools ?? [],
          rescues: _meta?.allowed_tools ?? [],
        }));
      }),
    );
    const scenarios = lists.flat();
    const [nearby, ...others] = scenarios.filter(({ id }) => id.split(':')[1] === this.name);
    const scenario = scenarios.find(({ id }) => id === fullName) ?? (others.length === 0 ? nearby : undefined);
    if (scenario !== undefined) return scenario;
    const names = scenarios.map(({ id }) => id).filter((id) => id.includes(':'));
    const message = `The environment has no scenario “${fullName}”. It has ${names.length === 0 ? 'none' : names.join(', ')}.`;
    throw new EnvironmentError('start_failed', message);
  }
}

type GradeFailure = Extract<CallResult, { readonly error: unknown }>;
