import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The variables that HUD 0.4 substitutes in `mcp_config`.
 * @param env the variables of a process
 * @param files texts of `.env` files, whose variables HUD also reads in lower case; the first file with a variable wins
 */
export function hudVariables(env: Variables, files: readonly string[]): Variables {
  const variables: Record<string, string | undefined> = {};
  for (const text of files.toReversed()) {
    for (const [name, value] of Object.entries(parseEnv(text))) {
      variables[name.toLowerCase()] = value;
      variables[name.toUpperCase()] = value;
    }
  }
  Object.assign(variables, env);
  const key = variables['HUD_API_KEY'];
  return key === undefined ? variables : { ...variables, api_key: key, API_KEY: key };
}

/**
 * The values of variables by name: from this process, from `.env` in a folder, and from `~/.hud/.env`. Variables without a
 * value are missing.
 */
export async function valuesOf(names: readonly string[], folder: string): Promise<Readonly<Record<string, string>>> {
  if (names.length === 0) return {};
  const paths = [join(folder, '.env'), join(homedir(), '.hud', '.env')];
  // Most projects have neither file.
  const files = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')));
  const variables = hudVariables(process.env, files);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
