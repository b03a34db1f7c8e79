import { spawn } from 'node:child_process';

/** Runs a program and returns its standard output; its standard error is passed through. */
export function outputOf(program: string, args: readonly string[], cwd: string, input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    child.on('error', reject);
    child.on('close', () => resolve(output));
    child.stdin.end(input);
  });
}
