import type { CreateEnvironment, Environment, EnvironmentTools } from './environment.ts';
import type { Kind } from './kind.ts';

/**
 * Makes an environment of a kind; it holds nothing until its first reset. The code of a kind is loaded with its first
 * environment, from `environment.ts` in its folder.
 */
export async function createEnvironment({ name }: Kind, tools: EnvironmentTools): Promise<Environment> {
  const { create } = (await import(`./${name}/environment.ts`)) as { readonly create: CreateEnvironment };
  return create(tools);
}
