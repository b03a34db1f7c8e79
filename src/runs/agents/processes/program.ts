import { join } from 'node:path';

/** agent.js, which is bundled beside whatever program this is. */
export function defaultAgentProgram(): string {
  return join(__dirname, 'agent.js');
}

/** The environment of our own programs: in the desktop's Electron the same executable is Node only when told so. */
export function programEnvironment(): NodeJS.ProcessEnv {
  return process.versions['electron'] === undefined ? process.env : { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
}

/** The environment of a person's program: as ours, but an Electron program in it must not become Node. */
export function personEnvironment(): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _, ...rest } = process.env;
  return rest;
}
