import { Socket } from 'node:net';
import { screenSchema } from '../../actions/action.ts';
import { defined } from '../../base/defined.ts';
import { parseJson } from '../../base/parse-json.ts';
import type { Observation } from '../../environments/observation.ts';
import { locationOfError } from '../../functions/user/error-location.ts';
import { loadUserModule } from '../../functions/user/load.ts';
import type { Turn } from '../agent.ts';
import { eachLine } from '../agent-process.ts';
import { SCREEN_FORM } from '../process/screen-declaration.ts';
import { CHANNEL, type FromModule, type ToModule } from './messages.ts';

/** The second argument of a module agent's default export. */
interface ModuleContext {
  readonly prompt: string;
  readonly step: number;
  readonly signal: AbortSignal;
  readonly reward: number | null;
  readonly terminated: boolean;
  readonly error: Turn['error'];
  readonly tools: Turn['tools'];
}

type ModuleAgent = (
  observation: Omit<Observation, 'screenshot'> & { readonly screenshot: Buffer | null },
  context: ModuleContext,
) => unknown;

/** The process of one `module` agent: loads the file and calls its default export for each answer. */
class ModuleHost {
  readonly #stop = new AbortController();
  #path = '';
  #agent: ModuleAgent | null = null;
  #acting: Promise<void> = Promise.resolve();
  #tools: Turn['tools'] = [];

  async receive(message: ToModule): Promise<void> {
    if (message.type === 'end') {
      // Agents that watch the signal can clean up; the Runner kills those that do not.
      this.#stop.abort();
      await this.#acting;
      process.exit();
    } else if (message.type === 'load') await this.#load(message.path);
    else this.#acting = this.#act(message.turn);
  }

  async #load(path: string): Promise<void> {
    this.#path = path;
    try {
      const module = await loadUserModule(path);
      const agent = module['default'];
      if (typeof agent !== 'function') {
        throw new Error(
          'its default export is not a function. Write: export default async (observation, { prompt, step }) => …',
        );
      }
      this.#agent = agent as ModuleAgent;
      const screen = screenSchema.optional().safeParse(module['screen'] ?? (agent as { screen?: unknown }).screen);
      if (!screen.success) throw new Error(SCREEN_FORM);
      send({ type: 'loaded', ...defined({ screen: screen.data }) });
    } catch (error) {
      send({ type: 'broken', error: this.#failure(error) });
    }
  }

  async #act(turn: Extract<ToModule, { type: 'act' }>['turn']): Promise<void> {
    const { prompt, step, reward, terminated, error } = turn;
    if (step === 0) this.#tools = turn.tools;
    const { screenshot, ...observation } = turn.observation;
    try {
      const answer = await this.#agent?.(
        { ...observation, screenshot: screenshot === null ? null : Buffer.from(screenshot, 'base64') },
        { prompt, step, signal: this.#stop.signal, reward, terminated, error, tools: this.#tools },
      );
      // A copy as JSON, so that no object of the agent's code crosses the channel.
      send({ type: 'answer', answer: answer === undefined ? null : parseJson(JSON.stringify(answer) ?? 'null') });
    } catch (cause) {
      send({ type: 'threw', error: this.#failure(cause) });
    }
  }

  #failure(cause: unknown): { message: string; stack: string } {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const location = locationOfError(error, this.#path);
    const message = location === undefined ? error.message : `${error.message} (line ${location.line})`;
    return { message, stack: error.stack ?? error.message };
  }
}

const channel = new Socket({ fd: CHANNEL, readable: true, writable: true });

function send(message: FromModule): void {
  channel.write(`${JSON.stringify(message)}\n`);
}

const host = new ModuleHost();
const receive = (line: string): void => void host.receive(JSON.parse(line) as ToModule);
eachLine(channel, receive, () => {}, Number.POSITIVE_INFINITY);
// The Runner ended or closed the agent; nothing in the agent's code may keep the process alive.
channel.on('close', () => process.exit()).on('error', () => process.exit());
