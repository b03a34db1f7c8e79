import type { Json } from '../../../src/base/json.ts';
import { type Listening, listen } from '../../../src/serving/http/main.ts';
import type { ServedResult, ServedSession } from '../../../src/serving/served-environment.ts';

const RESULT: ServedResult = { observation: [Buffer.from('{}')], metadata: {}, reward: null, done: false };

/** The token for agents of the server of `listenWithTask`. */
export const AGENT_TOKEN = 'agent';

/**
 * Serves the environment `task_env` with one split, `train`, of one task, whose answers are the same to all actions.
 *
 * @param onReset gets the arguments of each reset
 */
export async function listenWithTask(
  onReset: (args: { readonly [key: string]: Json }) => void = () => undefined,
): Promise<Listening> {
  const open = (): ServedSession => ({
    reset: async (args) => {
      onReset(args);
      return RESULT;
    },
    step: async () => RESULT,
    act: async () => undefined,
    state: () => ({}),
    observe: () => 'nothing',
    tools: () => [],
    close: async () => undefined,
  });
  return await listen(
    {
      name: 'task_env',
      description: '',
      version: '1',
      schemas: { action: {}, observation: {}, state: {} },
      splits: async () => ['train'],
      tasks: async () => [{ id: 'a' }],
      open,
    },
    {
      host: '127.0.0.1',
      port: 0,
      token: null,
      agentToken: AGENT_TOKEN,
      maxSessions: 4,
      idleMs: 60_000,
      log: () => undefined,
    },
  );
}
