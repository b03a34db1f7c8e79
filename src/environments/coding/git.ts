import { execFile } from 'node:child_process';
import { withoutRepository } from '../workspace/git-variables.ts';

/** How long one question to git may take, in ms: a repository may be far away. */
export const GIT_LIMIT = 120_000;
const MAX_PRINTED = 64 * 1024 * 1024;

/**
 * Runs git in a folder; resolves with what it printed. Nobody is asked, no hook runs, nothing goes on in the background,
 * and only protocols that fetch and nothing else are allowed. Rejects with the error of `execFile` and its `stderr`.
 */
export async function runGit(
  folder: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      args,
      {
        cwd: folder,
        env: { ...gitEnvironment(), ...options.env },
        encoding: 'buffer',
        timeout: GIT_LIMIT,
        maxBuffer: MAX_PRINTED,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(Object.assign(error, { stderr }));
      },
    );
    // Git may end before it has read everything; its exit code tells why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

function gitEnvironment(): NodeJS.ProcessEnv {
  const settings = {
    // The folder of the task may be another user's: in a container it is.
    'safe.directory': '*',
    'uploadpack.allowAnySHA1InWant': 'true',
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'maintenance.auto': 'false',
    'submodule.recurse': 'false',
    'init.defaultBranch': 'main',
    'advice.detachedHead': 'false',
  };
  const numbered = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...withoutRepository(process.env),
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    ...(Object.fromEntries(numbered) as Record<string, string>),
    GIT_ALLOW_PROTOCOL: 'file:https:http:ssh:git',
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
  };
}
