// Runs a program in its own process group and ends the whole group when standard input closes or the program ends, so that
// no process is left even if the parent is killed.
// Usage: node process-guard.mjs PROGRAM ARG...

import { spawn } from 'node:child_process';

const GRACE_MS = 3000;
const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
let ending = false;

function end(code) {
  if (ending) return;
  ending = true;
  process.on('SIGTERM', () => {});
  try {
    process.kill(-process.pid, 'SIGTERM');
  } catch {
    // This process leads no group: signal the program only.
    child.kill('SIGTERM');
  }
  const leave = () => {
    try {
      process.kill(-process.pid, 'SIGKILL');
    } catch {
      process.exit(code);
    }
  };
  if (child.exitCode !== null || child.signalCode !== null) return leave();
  child.once('exit', leave);
  setTimeout(leave, GRACE_MS);
}

child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  end(1);
});
child.on('exit', (code) => end(code ?? 1));
process.stdin.resume();
process.stdin.on('end', () => end(0));
process.stdin.on('error', () => end(0));
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.on(signal, () => end(0));
