import { spawn } from 'node:child_process';

/** Runs a program to its end and gives what it wrote; what it says beside that is shown. */
export function outputOf(program: string, args: readonly string[], cwd: string, input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString();
    });
    child.on('error', reject);
    child.on('close', () => resolve(said));
    child.stdin.end(input);
  });
}
