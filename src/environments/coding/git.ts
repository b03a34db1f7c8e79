import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withoutRepository } from '../workspace/git-variables.ts';

/** The time limit of one git command in ms. The repository may be on a slow server. */
export const GIT_LIMIT = 120_000;
const MAX_PRINTED = 64 * 1024 * 1024;

/**
 * Runs git in a folder; resolves with its output. Prompts, hooks, background maintenance, and protocols that can run
 * programs are disabled. Rejects with the error of `execFile` and its `stderr`.
 */
export async function runGit(
  folder: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<Buffer> {
  const running = promisify(execFile)('git', args, {
    cwd: folder,
    env: { ...gitEnvironment(), ...options.env },
    encoding: 'buffer',
    timeout: GIT_LIMIT,
    maxBuffer: MAX_PRINTED,
  });
  // Git may exit before it has read everything. Its exit code is reported.
  running.child.stdin?.on('error', () => {});
  running.child.stdin?.end(options.input ?? '');
  return (await running).stdout;
}

function gitEnvironment(): NodeJS.ProcessEnv {
  const settings = {
    // In a container, the folder of the task belongs to another user.
    'safe.directory': '*',
    'uploadpack.allowAnySHA1InWant': 'true',
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'maintenance.auto': 'false',
    'submodule.recurse': 'false',
    'init.defaultBranch': 'main',
    'advice.detachedHead': 'false',
  };
  const variables = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...withoutRepository(process.env),
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    ...(Object.fromEntries(variables) as Record<string, string>),
    GIT_ALLOW_PROTOCOL: 'file:https:http:ssh:git',
    GIT_TERMINAL_PROMPT: '0',
    // Git LFS does not know the server of a commit that was fetched by an address, and would fail.
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
  };
}
