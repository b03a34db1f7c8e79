// First step of `npm start` and `npm test`: installs the dependencies, then continues with the Node.js that they include.
// Runs on the Node.js of npm and before anything is installed: plain JavaScript without dependencies.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Whether node_modules matches the lock file. */
function isInstalled() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const present = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages;
    return Object.entries(wanted).every(([path, entry]) => {
      if (path === '' || entry.optional || entry.devOptional || entry.peer || entry.link) return true;
      return path.startsWith('node_modules/') ? present[path]?.version === entry.version : true;
    });
  } catch {
    return false;
  }
}

/** Runs a program in the foreground and resolves with its exit code; signals and our own end reach it. */
function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
    const forward = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    // A signal to npm alone ends the shell between us and does not reach us; that shell's end does.
    const parent = process.ppid;
    const watch = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500);
    if (process.env.npm_lifecycle_event === undefined) clearInterval(watch);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearInterval(watch);
      for (const name of signals) process.off(name, forward);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}

/** Installs the dependencies where they are missing or out of date. */
async function install() {
  if (isInstalled()) return;
  process.stderr.write('Installing dependencies...\n');
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const code = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args])
    : await run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { shell: process.platform === 'win32' });
  if (code !== 0) {
    process.stderr.write('npm ci failed: see its message above. Without a network nothing can be installed.\n');
    process.exit(code);
  }
}

/** Installs what is missing, then runs a script of this folder with the rest of our arguments. Does not return. */
export async function runScript(name) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    process.stderr.write(`Taskwright needs Node 20 or newer to be built; this is ${process.version}.\n`);
    process.exit(2);
  }
  await install();
  const bundled = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const node = existsSync(bundled) ? bundled : process.execPath;
  const args = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  // The script notices the end of this process when the channel closes.
  const code = await run(node, [...args, join(root, 'scripts', name), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH: path },
  });
  process.exit(code);
}
