import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { root } from '../programs.ts';
import { hasPython } from '../python.ts';

/** Whether the real OpenEnv is there. */
export const hasOpenEnv = hasPython('OpenEnv environments', 'openenv.core', 'uvicorn', 'fastmcp');

/** A running server of a real environment. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts the server of an environment.
 * @param name of a folder in `test/fixtures/openenv/`, or an absolute path
 * @param more arguments of uvicorn
 */
export async function serveEnvironment(
  name: string,
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<RunningServer> {
  const args = ['-m', 'uvicorn', 'server.app:app', '--host', '127.0.0.1', '--port', '0', '--no-access-log', ...more];
  const child = spawn('python3', args, {
    cwd: resolve(root, 'test', 'fixtures', 'openenv', name),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit');
  const port = await new Promise<number>((listening, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /running on https?:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (found !== undefined) listening(Number(found));
    });
    void exited.then(() => reject(new Error(`the server of ${name} ended:\n${output}`)));
  });
  return {
    url: `${more.some((one) => one.startsWith('--ssl')) ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
