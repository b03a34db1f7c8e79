import { isObject, type Json } from '../../base/json.ts';
import { unknownKeys } from '../../tasks/known-keys.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { CheckedTask } from '../kind.ts';
import { gymErrors } from '../spec-problems.ts';
import type { UserFunctions } from '../user-functions.ts';
import { readMcp, serversIn } from './spec.ts';
import { variablesIn } from './template.ts';

const KEYS = ['type', 'config'] as const;

/** Problems with MCP servers, apart from those that the models of HUD 0.4 and 0.5 find. */
export function mcpProblems({ row, fields: { env }, user }: CheckedTask): Problem[] {
  const { gym } = row;
  if (typeof env['scenario'] === 'string') return missingServer(serversIn(env), user.beside);
  if (gym === undefined) return [];
  if (!isObject(gym)) {
    const message = '“mcp” needs an object: {"type": "mcp", "config": {"local": {"command": …}}}';
    return [{ path: ['gym'], severity: 'error', code: 'no-server', message }];
  }
  const servers = serversIn(env);
  const spec = readMcp(env, servers);
  if (!('problems' in spec)) return unknownKeys(gym, KEYS, ['gym']);
  return [
    ...unknownKeys(gym, KEYS, ['gym']),
    ...spec.problems
      // The value of a variable is known at run time only.
      .filter(({ code }) => code !== 'mcp-url' || variablesIn(servers).length === 0)
      .flatMap((problem) =>
        gymErrors([{ ...problem, path: 'config' in gym ? ['config', ...problem.path] : [] }], problem.code),
      ),
  ];
}

/** A scenario whose environment has only a name. Without access to files, it is not known whether there is an `env.py`. */
function missingServer(servers: Json, beside: UserFunctions['beside']): Problem[] {
  if (servers !== null || beside === undefined || beside('env.py') === 'file') return [];
  const message =
    'The server of this environment is not known, so this task of HUD 0.5 cannot run here. Put its env.py next to this file, or write the "url" of its server, or a "command" with its "args", into "env"';
  return [{ path: ['scenario'], part: 'key', severity: 'information', code: 'era-not-run', message }];
}
