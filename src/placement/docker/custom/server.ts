import { untilAborted } from '../../../base/until-aborted.ts';
import { CustomEnvironment } from '../../../environments/custom/environment.ts';
import { runCallWithLimit } from '../../../server/calls.ts';
import type { Method, Params } from '../../../server/protocol.ts';
import type { Results, ServerEvent } from '../../../server/results.ts';
import type { Task } from '../../../tasks/task.ts';
import { type EnvironmentServer, type RunningEnvironment, ServerError } from '../../placement.ts';
import type { ControllerContainer } from './container.ts';

const SESSION = 'controller';

/**
 * A custom environment in its own container. Only user code runs in the container, one process for each call, so there
 * is no environment server in it: this answers the requests by calling the controller through Docker.
 */
export type ControllerServer = EnvironmentServer & RunningEnvironment & Pick<ControllerContainer, 'whenRemoved'>;

/**
 * @param folder the local folder of the task
 * @param host as in `RunningEnvironment`
 */
export function controllerServer(
  container: ControllerContainer,
  task: Task,
  folder: string,
  host: string | undefined,
): ControllerServer {
  const { id, logLines, usage, whenRemoved, whenEnded } = container;
  const listeners = new Set<(event: ServerEvent) => void>();
  let isReset = false;
  const environment = new CustomEnvironment(
    async () => {
      if (isReset) throw new ServerError('reset_twice', 'A container can only run one task. Open a new one.');
      isReset = true;
      return container;
    },
    (text) => {
      for (const listener of listeners) listener({ event: 'log', session: SESSION, level: 'info', text });
    },
  );
  const failure = async (): Promise<never> => {
    const { code, message } = await whenEnded;
    throw new ServerError(code, message);
  };
  return {
    placement: 'docker',
    id,
    host,
    tasks: [task],
    startTime: new Date(),
    shellUser: null,
    logLines,
    usage,
    whenEnded,
    whenRemoved,
    async request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> {
      signal?.throwIfAborted();
      const result = Promise.race([answer(environment, folder, method, params as never), failure()]);
      return untilAborted(result as Promise<Results[M]>, signal);
    },
    async reach() {
      throw new ServerError('not_reached', 'Stepping into the Python code of a controller is not supported.');
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispose: () => container.close(),
  };
}

async function answer(environment: CustomEnvironment, folder: string, method: Method, params: never): Promise<unknown> {
  switch (method) {
    case 'session.open':
      return { session: SESSION };
    case 'session.reset': {
      const { task, files, seed } = params as Params<'session.reset'>;
      const result = await environment.reset({ task, files, seed });
      return { ...result, folder };
    }
    case 'session.step': {
      const { actions, screen } = params as Params<'session.step'>;
      return environment.step(actions, screen);
    }
    case 'session.setup':
    case 'session.evaluate': {
      const { call, limit_ms: limitMs, response } = params as Params<'session.evaluate'>;
      const phase = method === 'session.setup' ? 'setup' : 'evaluate';
      return runCallWithLimit({ phase, call, environment, folder, limitMs, response, onFunctions: () => {} });
    }
    case 'session.urls':
      return environment.urls();
    case 'session.pointed':
      return { pointed: null };
    case 'session.live':
    case 'session.close':
      return {};
    case 'session.query':
      throw new ServerError('no_page', 'This environment has no page.');
    case 'session.inspect':
      throw new ServerError('not_inspected', 'Stepping into the Python code of a controller is not supported.');
    default:
      throw new ServerError('unknown_method', `A custom environment does not support ${method}.`);
  }
}
