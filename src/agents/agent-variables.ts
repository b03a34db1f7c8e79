import { list } from '../functions/words.ts';
import { inheritedVariables, TOOLCHAIN_VARIABLES } from '../processes/inherited-variables.ts';

/** Names of variables that agents often need, and never get unless they are named. */
const NEEDED = /key|token|secret|password|credential|api|endpoint|url|base|host|project|region|model/i;
/** How many names a message lists. */
const MAX_NAMES = 10;

/** The environment variables of an agent's process. `names`: those that the user passes on to agents. */
export function agentVariables(names: readonly string[]): NodeJS.ProcessEnv {
  return inheritedVariables(process.env, [...TOOLCHAIN_VARIABLES, ...names]);
}

/**
 * A line for the message of an agent that failed: the variables that it may have missed, and how to pass them. Empty if there
 * are none. It has names only.
 */
export function withheldVariables(names: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const passed = inheritedVariables(env, [...TOOLCHAIN_VARIABLES, ...names]);
  const withheld = Object.keys(env)
    .filter((name) => !(name in passed) && NEEDED.test(name) && !name.startsWith('TASKWRIGHT_'))
    .sort();
  if (withheld.length === 0) return '';
  const others = withheld.length > MAX_NAMES ? [`${withheld.length - MAX_NAMES} others`] : [];
  const all = list([...withheld.slice(0, MAX_NAMES), ...others]);
  return `\nAgents do not get these environment variables: ${all}. Pass those that it needs with --agent-env (in VS Code taskwright.agents.environmentVariables).`;
}
