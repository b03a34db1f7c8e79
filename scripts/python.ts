import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { outFolder, root } from './places.ts';

const folder = join(outFolder, 'python');
const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');

/** Python modules that the tests use: the pages of MiniWoB++, the page that functions get, the debugger, OpenEnv. */
const MODULES = ['miniwob', 'playwright', 'debugpy', 'openenv', 'uvicorn', 'fastmcp', 'requests', 'tomli'];

/** Compiles the modules, because Taskwright starts environments in Python without writing bytecode. */
const PIP_INSTALL = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check'];

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
  await Promise.all([prepareModules(say), ...HUD_RELEASES.map((release) => prepareHud(release, say))]);
}

/** A release of HUD that the tests use, with an environment of its own: their packages do not go together. */
export interface HudRelease {
  readonly name: string;
  readonly folder: string;
  /** The package that it is in, and others that the tests need, with their versions. */
  readonly versions: Readonly<Record<string, string>>;
  /** Arguments of `pip install`. */
  readonly packages: readonly string[];
  /** The release whose other packages it uses. */
  readonly base?: HudRelease;
}

/** With a version of typer that its command line works with. */
export const HUD_0_6: HudRelease = {
  name: 'HUD 0.6',
  folder: join(outFolder, 'hud'),
  versions: { hud: '0.6.21', debugpy: '1.8.22' },
  packages: ['hud==0.6.21', 'typer<0.29', 'debugpy==1.8.22'],
};
/** Without the packages of agents and data sets, which are three quarters of a gigabyte. */
export const HUD_0_5 = serverOf('0.5', '0.5.41');
export const HUD_0_4 = serverOf('0.4', '0.4.74');
/** The first release of 0.6, and the last that holds one task at a time. */
export const HUD_0_6_0 = olderOf('hud-python', '0.6.0');
export const HUD_0_6_12 = olderOf('hud', '0.6.12');
const HUD_RELEASES = [HUD_0_6, HUD_0_5, HUD_0_4, HUD_0_6_0, HUD_0_6_12];

function serverOf(name: string, version: string): HudRelease {
  return {
    name: `HUD ${name}`,
    folder: join(outFolder, `hud-${name}`),
    versions: { 'hud-python': version },
    packages: ['--no-deps', '-r', join(root, 'scripts', 'requirements', `hud-${name}.txt`)],
  };
}

function olderOf(name: string, version: string): HudRelease {
  return {
    name: `HUD ${version}`,
    folder: join(outFolder, `hud-${version}`),
    versions: { [name]: version },
    packages: ['--no-deps', `${name}==${version}`],
    base: HUD_0_6,
  };
}

/** Of HUD; the newest that is there is used. */
const HUD_PYTHONS = ['python3.12', 'python3.11', 'python3'];
const IS_HUD_PYTHON = 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))';

/** Lets a virtual environment import the packages of another one, after its own. */
const ADD_PACKAGES = `import os, sys, sysconfig
own = sysconfig.get_path("purelib")
with open(os.path.join(own, "base.pth"), "w") as file:
    print(os.path.join(sys.argv[1], os.path.relpath(own, sys.prefix)), file=file)`;

/** Whether a release of HUD is installed for the tests. */
export function hasHud({ folder, versions }: HudRelease): Promise<boolean> {
  const ask = `import json, sys
from importlib.metadata import version
sys.exit(any(version(name) != wanted for name, wanted in json.loads(sys.argv[1]).items()))`;
  return succeeds(join(folder, 'bin', 'python3'), ['-c', ask, JSON.stringify(versions)]);
}

/** A Python that HUD runs in; null if there is none. */
export async function findHudPython(): Promise<string | null> {
  for (const python of HUD_PYTHONS) if (await succeeds(python, ['-c', IS_HUD_PYTHON])) return python;
  return null;
}

async function prepareHud(release: HudRelease, say: (text: string) => void): Promise<void> {
  const { name, folder, packages, base } = release;
  if (await hasHud(release)) return;
  const python = await findHudPython();
  // The tests say that they are skipped.
  if (python === null) return;
  say(`Installing ${name} for the tests (once)...`);
  await run(python, ['-m', 'venv', folder]);
  await run(join(folder, 'bin', 'python3'), [...PIP_INSTALL, ...packages]);
  if (base !== undefined) await run(join(folder, 'bin', 'python3'), ['-c', ADD_PACKAGES, base.folder]);
}

async function prepareModules(say: (text: string) => void): Promise<void> {
  if (await hasModules()) return;
  process.env['PATH'] = [bin, process.env['PATH'] ?? ''].join(delimiter);
  if (await hasModules()) return;
  say('Installing Python packages for the tests (once)...');
  await run(process.platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', folder]);
  for (const packages of PACKAGES) {
    await run(join(bin, 'python'), [...PIP_INSTALL, ...packages]);
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
