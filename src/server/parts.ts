import { EnvironmentError } from '../environments/environment.ts';
import { environmentKind } from '../environments/kinds.ts';
import type { SessionParts } from './session.ts';

/** What a session works with: the environments and the functions there are. */
export const parts: SessionParts = {
  environmentKind,
  createEnvironment: (kind) => {
    throw new EnvironmentError('environment_failed', `The environment ${kind} cannot be run yet.`);
  },
  runCall: async ({ call }) => ({
    error: { message: `There is no function ${call.function}.`, code: 'unknown_function' },
    duration_ms: 0,
  }),
};
