import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { outFolder, root } from './places.ts';

const IS_WINDOWS = process.platform === 'win32';

/** Installs packages with less processor time than pip, and compiles them only on request. */
const UV = 'uv==0.13.9';

/** A virtual environment that the tests use. */
export interface PythonEnvironment {
  readonly name: string;
  readonly folder: string;
  /** All packages that it needs, such as `hud==0.6.21`, with all their dependencies: resolving these doubles the work. */
  readonly packages: readonly string[];
  /**
   * The modules that the tests import. Taskwright starts environments in Python without writing bytecode, so these are compiled
   * once here, and the many others are not.
   */
  readonly modules: readonly string[];
  /** The environment whose packages it uses where they have the same version. */
  readonly base?: PythonEnvironment;
}

const DEBUGGER = 'debugpy==1.8.22';

/** The pages of MiniWoB++ without the packages that its code imports, the page that functions get, the debugger, OpenEnv. */
const PYTHON: PythonEnvironment = {
  name: 'Python packages',
  folder: join(outFolder, 'python'),
  packages: ['miniwob==1.1.0', 'playwright==1.65.2', 'greenlet==3.5.6', DEBUGGER, ...packagesIn('openenv.txt')],
  modules: [
    'anyio._backends._asyncio',
    'debugpy.adapter.clients',
    'debugpy.server.api',
    'fastmcp.server',
    'griffe',
    'h11',
    'openenv.core.env_server.http_server',
    'playwright.async_api',
    'playwright.sync_api',
    'pydantic.v1',
    'uvicorn',
  ],
};

const LATEST_HUD = packagesIn('hud-0.6.txt');
const MODULES_0_6 = ['hud', 'hud.environment.server', 'hud.graders'];
/** Each release of HUD has its own environment, because their packages conflict. */
export const HUD_0_6: PythonEnvironment = {
  name: 'HUD 0.6',
  folder: join(outFolder, 'hud'),
  packages: [DEBUGGER, ...LATEST_HUD],
  modules: MODULES_0_6,
  base: PYTHON,
};
export const HUD_0_5: PythonEnvironment = {
  name: 'HUD 0.5',
  folder: join(outFolder, 'hud-0.5'),
  packages: packagesIn('hud-0.5.txt'),
  modules: ['hud.agents', 'hud.server', 'hud.tools.computer'],
  base: PYTHON,
};
export const HUD_0_4: PythonEnvironment = {
  name: 'HUD 0.4',
  folder: join(outFolder, 'hud-0.4'),
  packages: packagesIn('hud-0.4.txt'),
  modules: ['fastmcp.server', 'hud.tools'],
  base: PYTHON,
};
/** The first release of 0.6, and the last that serves one task at a time. */
export const HUD_0_6_0: PythonEnvironment = releaseOf0_6('0.6.0', 'hud-python');
export const HUD_0_6_12: PythonEnvironment = releaseOf0_6('0.6.12', 'hud');

/** An older release of 0.6, whose package had another name. */
function releaseOf0_6(release: string, packageName: string): PythonEnvironment {
  return {
    name: `HUD ${release}`,
    folder: join(outFolder, `hud-${release}`),
    packages: [`${packageName}==${release}`, ...LATEST_HUD.filter((name) => !name.startsWith('hud=='))],
    modules: MODULES_0_6,
    base: HUD_0_6,
  };
}

/** The file of scripts/requirements with this name. */
export function requirementsFile(name: string): string {
  return join(root, 'scripts', 'requirements', name);
}

function packagesIn(file: string): readonly string[] {
  const lines = readFileSync(requirementsFile(file), 'utf8').split('\n');
  return lines.filter((line) => line.includes('=='));
}

/**
 * Creates the virtual environments of the tests in out/ once, and puts the Python with the modules that the tests import first
 * on the PATH. Rejects with the last output of the program that failed.
 */
export async function preparePython(say: (text: string) => void): Promise<void> {
  if (!(await isInstalled(PYTHON))) {
    const python = (await findHudPython()) ?? (IS_WINDOWS ? 'python' : 'python3');
    await install(PYTHON, python, say);
  }
  process.env['PATH'] = [binOf(PYTHON), process.env['PATH'] ?? ''].join(delimiter);
  // The tests say that they are skipped.
  if (!(await succeeds(programOf(PYTHON), ['-c', IS_HUD_PYTHON]))) return;
  const prepare = async (release: PythonEnvironment): Promise<void> => {
    if (!(await isInstalled(release))) await install(release, programOf(PYTHON), say);
  };
  const olderReleases = async (): Promise<void> => {
    await prepare(HUD_0_6);
    await Promise.all([prepare(HUD_0_6_0), prepare(HUD_0_6_12)]);
  };
  await Promise.all([olderReleases(), prepare(HUD_0_5), prepare(HUD_0_4)]);
}

/** The Python versions that HUD supports; the newest installed one is used. */
const HUD_PYTHONS = ['python3.12', 'python3.11', 'python3'];
const IS_HUD_PYTHON = 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))';

/** A Python that HUD supports; null if there is none. */
export async function findHudPython(): Promise<string | null> {
  for (const python of HUD_PYTHONS) if (await succeeds(python, ['-c', IS_HUD_PYTHON])) return python;
  return null;
}

/** Whether an environment has all its packages. */
export function isInstalled(environment: PythonEnvironment): Promise<boolean> {
  const ask = `import sys
from importlib.metadata import version
sys.exit(any(version(name) != wanted for name, wanted in (package.split("==") for package in sys.argv[1:])))`;
  return succeeds(programOf(environment), ['-c', ask, ...environment.packages]);
}

/** Lets an environment import the packages of another one and of its base, after its own. */
const ADD_PACKAGES = `import os, sys, sysconfig
own = sysconfig.get_path("purelib")
with open(os.path.join(own, "base.pth"), "w") as file:
    base = os.path.join(sys.argv[1], os.path.relpath(own, sys.prefix))
    print(f"import site; site.addsitedir({base!r})", file=file)`;

async function install(environment: PythonEnvironment, python: string, say: (text: string) => void): Promise<void> {
  const { name, folder, packages, modules, base } = environment;
  say(`Installing ${name} for the tests (once)...`);
  if (base === undefined) {
    await run(python, ['-m', 'venv', '--clear', folder]);
    await run(programOf(environment), ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', UV]);
  } else {
    await run(python, ['-m', 'venv', '--clear', '--without-pip', folder]);
    await run(programOf(environment), ['-c', ADD_PACKAGES, base.folder]);
  }
  const missing = packages.filter((wanted) => !packagesOf(base).includes(wanted));
  const uv = join(binOf(PYTHON), 'uv');
  await run(uv, ['pip', 'install', '-q', '--no-config', '--no-deps', '--python', programOf(environment), ...missing]);
  await run(programOf(environment), ['-c', modules.map((module) => `import ${module}`).join('\n')]);
}

/** The packages of an environment and of its bases. */
function packagesOf(environment: PythonEnvironment | undefined): readonly string[] {
  return environment === undefined ? [] : [...environment.packages, ...packagesOf(environment.base)];
}

function binOf({ folder }: PythonEnvironment): string {
  return join(folder, IS_WINDOWS ? 'Scripts' : 'bin');
}

function programOf(environment: PythonEnvironment): string {
  return join(binOf(environment), 'python');
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

function run(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    // The variable may be set in the user's shell.
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '' };
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
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
