import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { outFolder } from './places.ts';

const folder = join(outFolder, 'python');
const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');

/** Python modules that the tests use: the pages of MiniWoB++, the page that functions get, the debugger, OpenEnv. */
const MODULES = ['miniwob', 'playwright', 'debugpy', 'openenv', 'uvicorn', 'fastmcp', 'requests', 'tomli'];

/**
 * Arguments of `pip install`. MiniWoB++ is used for its pages alone, without the packages that its own code imports, and
 * OpenEnv without its web interface.
 */
const PACKAGES = [
  ['--no-deps', 'miniwob==1.1.0'],
  ['playwright==1.65.2', 'debugpy==1.8.22'],
  ['--no-deps', 'openenv==0.10.0'],
  [
    'fastapi==0.165.0',
    'fastmcp==3.4.10',
    'huggingface_hub==2.4.0',
    'openai==3.57.0',
    'pydantic==2.14.3',
    'requests==2.34.2',
    'tomli==2.5.0',
    'tomli-w==1.2.0',
    'typer==0.29.2',
    'uvicorn==0.54.0',
    'websockets==17.4',
  ],
];

/**
 * Puts a Python with the modules that the tests import first on the PATH: the one that is there, else a virtual environment
 * in out/, which is made once. Rejects with the last output of the program that failed.
 */
export async function preparePython(say: (text: string) => void): Promise<void> {
  await prepareModules(say);
  await prepareHud(say);
}

/** Where HUD 0.6 is: its packages do not go together with the others. */
export const hudFolder = join(outFolder, 'hud');

/** HUD 0.6 with a version of typer that its command line works with. */
const HUD = ['hud==0.6.21', 'typer<0.29'];
/** Of HUD 0.6; the newest that is there is used. */
const HUD_PYTHONS = ['python3.12', 'python3.11', 'python3'];
const IS_HUD_PYTHON = 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))';

/** Whether HUD 0.6 is installed for the tests. */
export function hasHud(): Promise<boolean> {
  const ask = `import importlib.metadata, sys; sys.exit(importlib.metadata.version('hud') != '0.6.21')`;
  return succeeds(join(hudFolder, 'bin', 'python3'), ['-c', ask]);
}

/** A Python that HUD 0.6 runs in; null if there is none. */
export async function findHudPython(): Promise<string | null> {
  for (const python of HUD_PYTHONS) if (await succeeds(python, ['-c', IS_HUD_PYTHON])) return python;
  return null;
}

async function prepareHud(say: (text: string) => void): Promise<void> {
  if (await hasHud()) return;
  const python = await findHudPython();
  // The tests say that they are skipped.
  if (python === null) return;
  say('Installing HUD for the tests (once)...');
  await run(python, ['-m', 'venv', hudFolder]);
  await run(join(hudFolder, 'bin', 'python3'), ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...HUD]);
}

async function prepareModules(say: (text: string) => void): Promise<void> {
  if (await hasModules()) return;
  process.env['PATH'] = [bin, process.env['PATH'] ?? ''].join(delimiter);
  if (await hasModules()) return;
  say('Installing Python packages for the tests (once)...');
  await run(process.platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', folder]);
  for (const packages of PACKAGES) {
    await run(join(bin, 'python'), ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages]);
  }
}

function hasModules(): Promise<boolean> {
  // Without importing them: MiniWoB++ is installed without the packages that its code imports.
  const find = `import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))`;
  return succeeds('python3', ['-c', find, ...MODULES]);
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

function run(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (data: string) => {
        output = (output + data).slice(-2000);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${[program, ...args].join(' ')} failed (exit ${code}):\n${output.trim()}`));
    });
  });
}
