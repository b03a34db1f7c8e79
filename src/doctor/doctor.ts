import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { defined } from '../base/defined.ts';
import { patient } from '../base/patience.ts';
import { type LocatedBrowser, locateBrowser } from '../environments/browser/launch/locate.ts';
import { probeSandbox, type Sandbox } from '../environments/browser/launch/sandbox.ts';
import { GET_MINIWOB, type LocatedMiniwob, locateMiniwob } from '../environments/browser/miniwob/locate.ts';
import { GET_A_DESKTOP, missingPrograms } from '../environments/desktop/programs.ts';
import { examinePython, GET_PYTHON, type PythonInstallation } from '../functions/user/python/locate.ts';
import type { Capacity } from '../placement/capacity.ts';
import type { DockerQuery, DockerState, KubernetesState, SwarmState } from '../placement/docker/docker.ts';

const run = promisify(execFile);
const GIT_LIMIT = patient(5_000);

/** As in `engines` of package.json. */
const MIN_NODE = 22;

/** How to install a browser. */
export const GET_A_BROWSER = [
  'Install Chrome, Edge, or Chromium (Debian: apt-get install chromium),',
  'or download one with Playwright: npx playwright-core install chromium-headless-shell,',
  'or set TASKWRIGHT_BROWSER (in VS Code taskwright.browser.path) to the path of a browser.',
];

/** What was found of a Docker host. */
export interface DockerHealth {
  readonly ok: boolean;
  readonly host: string | null;
  /** The source of the address: `DOCKER_HOST`, a context, or the default. */
  readonly by: string | null;
  readonly version: string | null;
  /** Whether the daemon can mount folders of this machine; null without Docker. */
  readonly local: boolean | null;
  /** Null without Docker. */
  readonly room: Capacity | null;
  /** One image of each kind; empty without Docker. */
  readonly images: readonly { readonly tag: string; readonly built: boolean }[];
  /** The swarm that it manages; absent without Docker. */
  readonly swarm?: SwarmState;
  readonly tried: readonly string[];
  readonly fix: string | null;
}

/** The requirements that are met, as `taskwright doctor --json` prints them. */
export interface Health {
  /** Whether tasks can run on this machine. Docker is not required. */
  readonly ok: boolean;
  readonly node: { readonly version: string; readonly wanted: string; readonly ok: boolean };
  readonly browser: {
    readonly ok: boolean;
    readonly path: string | null;
    readonly name: string | null;
    readonly version: string | null;
    readonly sandbox: Sandbox | null;
    readonly tried: readonly string[];
    readonly fix: string | null;
  };
  /** The MiniWoB++ pages, for tasks of that benchmark only. */
  readonly miniwob: {
    readonly ok: boolean;
    readonly folder: string | null;
    /** The source of the folder: `TASKWRIGHT_MINIWOB`, or the Python that has the package. */
    readonly by: string | null;
    readonly tried: readonly string[];
    readonly fix: string | null;
  };
  /** For user-defined functions in Python; null if there is no Python. */
  readonly python: PythonInstallation | null;
  /** Version of git, for coding tasks with a repository; null if there is none. */
  readonly git: string | null;
  /** Programs for desktop tasks on this machine. */
  readonly desktop: { readonly ok: boolean; readonly missing: readonly string[]; readonly fix: string | null };
  /** The daemon that Docker itself uses. */
  readonly docker: DockerHealth;
  /** The hosts to distribute runs over, each with the name that the user gave it. */
  readonly hosts: readonly (DockerHealth & { readonly name: string })[];
  readonly kubernetes: KubernetesState;
}

/** How to examine the engines that run containers. The functions never reject. */
export interface Engines {
  findDocker(query?: DockerQuery): Promise<DockerState>;
  findKubernetes(): Promise<KubernetesState>;
}

/** Examines this machine. `preferences`: the browser, the MiniWoB++ folder, and the Docker hosts of the settings. */
export async function examine(
  engines: Engines,
  nodeVersion = process.versions.node,
  preferences: {
    readonly browser?: string | undefined;
    readonly miniwob?: string | undefined;
    readonly hosts?: readonly string[];
    /** Where to look for Python. Default: the current folder. */
    readonly folder?: string;
  } = {},
): Promise<Health> {
  const node = {
    version: nodeVersion,
    wanted: `>=${MIN_NODE}`,
    ok: Number(nodeVersion.split('.')[0]) >= MIN_NODE,
  };
  const env = {
    ...process.env,
    ...defined({ TASKWRIGHT_BROWSER: preferences.browser, TASKWRIGHT_MINIWOB: preferences.miniwob }),
  };
  const [browser, miniwob, python, git, desktop, docker, hosts, kubernetes] = await Promise.all([
    locateBrowser({ env }).then(browserHealth),
    locateMiniwob(env).then(miniwobHealth),
    examinePython(preferences.folder ?? process.cwd()),
    gitVersion(),
    missingPrograms(env).then(desktopHealth),
    engines.findDocker().then(dockerHealth),
    Promise.all(
      (preferences.hosts ?? []).map(async (name) => ({
        name,
        ...dockerHealth(await engines.findDocker({ host: name })),
      })),
    ),
    engines.findKubernetes(),
  ]);
  return { ok: node.ok && browser.ok, node, browser, miniwob, python, git, desktop, docker, hosts, kubernetes };
}

async function browserHealth(
  location: { readonly found: LocatedBrowser } | { readonly tried: readonly string[] },
): Promise<Health['browser']> {
  if ('found' in location) {
    const { path, name, version } = location.found;
    return { ok: true, path, name, version, sandbox: await probeSandbox(path), tried: [], fix: null };
  }
  const fix = GET_A_BROWSER.join('\n');
  return { ok: false, path: null, name: null, version: null, sandbox: null, tried: location.tried, fix };
}

function miniwobHealth(location: LocatedMiniwob): Health['miniwob'] {
  if ('found' in location) return { ok: true, ...location.found, tried: [], fix: null };
  return { ok: false, folder: null, by: null, tried: location.tried, fix: GET_MINIWOB.join('\n') };
}

async function gitVersion(): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['--version'], { timeout: GIT_LIMIT, windowsHide: true });
    return stdout.trim().replace(/^git version /, '');
  } catch {
    // Missing, or broken.
    return null;
  }
}

function desktopHealth(missing: readonly string[]): Health['desktop'] {
  const ok = missing.length === 0;
  return { ok, missing, fix: ok ? null : GET_A_DESKTOP.join('\n') };
}

function dockerHealth(state: DockerState): DockerHealth {
  if (state.found) {
    const { host, by, version, local, room, images, swarm } = state;
    const health = { ok: true, host, by, version, local, room, images, tried: [], fix: null };
    return { ...health, ...defined({ swarm }) };
  }
  const none = { host: null, by: null, version: null, local: null, room: null, images: [] };
  return { ok: false, ...none, tried: state.tried.length > 0 ? state.tried : [state.message], fix: state.fix };
}

/** One requirement. */
export interface HealthLine {
  /** `optional`: not found, but tasks can run without it. */
  readonly state: 'found' | 'missing' | 'optional';
  readonly text: string;
  /** Places that were searched, if nothing was found. */
  readonly tried: readonly string[];
  /** How to fix it. */
  readonly fix: readonly string[];
}

/** The report for the user, line by line. */
export function healthLines(health: Health): readonly HealthLine[] {
  const { node, browser, miniwob, python, git, desktop, docker, hosts, kubernetes } = health;
  const lines: HealthLine[] = [];
  if (node.ok) lines.push(availableLine(`Node.js ${node.version}`));
  else {
    const fix = ['Install a newer Node.js from https://nodejs.org.'];
    lines.push({ state: 'missing', text: `Node.js ${node.version}: ${node.wanted} is required`, tried: [], fix });
  }
  if (browser.ok) {
    lines.push(
      availableLine(`${browser.name}${browser.version === null ? '' : ` ${browser.version}`}: ${browser.path}`),
    );
  } else {
    lines.push({ state: 'missing', text: 'No browser was found', tried: browser.tried, fix: linesOf(browser.fix) });
  }
  if (browser.sandbox?.on === true) lines.push(availableLine("The browser's sandbox is on"));
  else if (browser.sandbox?.on === false) {
    const { reason, fix } = browser.sandbox;
    lines.push(optionalLine(`The browser runs without its sandbox: ${reason}`, [fix]));
  }
  if (miniwob.ok) lines.push(availableLine(`MiniWoB++: ${miniwob.folder} (${miniwob.by})`));
  else {
    const text = 'The MiniWoB++ pages were not found (needed for tasks of that benchmark)';
    lines.push(optionalLine(text, linesOf(miniwob.fix), miniwob.tried));
  }
  lines.push(...pythonLines(python));
  if (git !== null) lines.push(availableLine(`git ${git}`));
  else {
    const text = 'git was not found (needed for coding tasks with a repository)';
    lines.push(optionalLine(text, ['Install it (Debian: apt-get install git).']));
  }
  if (desktop.ok) lines.push(availableLine('The programs for desktop tasks'));
  else {
    const text = `Programs for desktop tasks without Docker were not found: ${desktop.missing.join(', ')}`;
    lines.push(optionalLine(text, linesOf(desktop.fix)));
  }
  if (docker.ok) {
    lines.push(availableLine(`Docker ${dockerText(docker)}`));
    for (const { tag, built } of docker.images) {
      lines.push(
        built ? availableLine(`Image ${tag}`) : optionalLine(`Image ${tag} is not built yet`, [BUILT_ON_FIRST_USE]),
      );
    }
    if (docker.swarm !== undefined) lines.push(swarmLine(docker.swarm));
  } else {
    const fix = ['Only needed to run tasks in containers.', ...linesOf(docker.fix)];
    lines.push(optionalLine('Docker was not found', fix, docker.tried));
  }
  for (const host of hosts) lines.push(...hostLines(host));
  lines.push(kubernetesLine(kubernetes));
  return lines;
}

function availableLine(text: string): HealthLine {
  return { state: 'found', text, tried: [], fix: [] };
}

function optionalLine(text: string, fix: readonly string[], tried: readonly string[] = []): HealthLine {
  return { state: 'optional', text, tried, fix };
}

function linesOf(fix: string | null): readonly string[] {
  return fix?.split('\n') ?? [];
}

function pythonLines(python: PythonInstallation | null): readonly HealthLine[] {
  if (python === null) {
    const text = 'Python was not found (needed for functions in Python, and for custom environments without Docker)';
    return [optionalLine(text, [GET_PYTHON])];
  }
  const { version, path } = python;
  const page = `${python.playwright ? 'with' : 'without'} playwright, which functions need to access the page`;
  const packages = [
    { name: 'pytest', purpose: 'for coding tasks that are graded with pytest' },
    { name: 'debugpy', purpose: 'to debug functions in Python' },
  ] as const;
  return [
    availableLine(`Python ${version} for user-defined functions and custom environments: ${path} (${page})`),
    ...packages
      .filter(({ name }) => !python[name])
      .map(({ name, purpose }) =>
        optionalLine(`${name} was not found (needed ${purpose})`, [`${path} -m pip install ${name}`]),
      ),
  ];
}

function swarmLine(swarm: SwarmState): HealthLine {
  if (!swarm.found)
    return optionalLine('Docker Swarm was not found', ['Only needed to run tasks in a swarm.', swarm.message]);
  const text = `Docker Swarm: ${nodesText(swarm)}`;
  return swarm.ready > 0 ? availableLine(text) : optionalLine(text, []);
}

function kubernetesLine(kubernetes: KubernetesState): HealthLine {
  if (!kubernetes.found)
    return optionalLine('Kubernetes was not found', ['Only needed to run tasks in Kubernetes.', kubernetes.message]);
  const { context, namespace, version, nodes, problem } = kubernetes;
  const cluster = `Kubernetes ${version} (context ${context}, namespace ${namespace})`;
  if (problem !== null) return optionalLine(`${cluster} cannot run tasks`, [`${problem}.`]);
  const text = `${cluster}: ${nodes === null ? 'you may not list its nodes' : nodesText(nodes)}`;
  return nodes?.ready === 0 ? optionalLine(text, []) : availableLine(text);
}

function nodesText({ nodes, ready, room }: { nodes: number; ready: number; room: Capacity }): string {
  return `${ready} of ${nodes} ${nodes === 1 ? 'node' : 'nodes'} ready, ${capacityText(room)}`;
}

const BUILT_ON_FIRST_USE = 'It is built when a task first needs it, which takes one or two minutes.';

/** One of the hosts to distribute runs over. */
function hostLines(host: Health['hosts'][number]): readonly HealthLine[] {
  const { name, ok, images, tried, fix } = host;
  if (!ok) return [optionalLine(`The Docker host ${name} gets no runs`, fix ? [fix] : [], tried)];
  const missing = images.flatMap(({ tag, built }) => (built ? [] : [tag]));
  const line = availableLine(`Docker host ${name}: Docker ${dockerText(host)}`);
  if (missing.length === 0) return [line];
  return [line, optionalLine(`Images that are not built yet on ${name}: ${missing.join(', ')}`, [BUILT_ON_FIRST_USE])];
}

function dockerText({ version, host, by, local, room }: DockerHealth): string {
  const location = local === true ? 'on this machine' : 'on another machine, to which task folders are copied';
  return [`${version} at ${host} (${by}), ${location}`, ...(room === null ? [] : [capacityText(room)])].join(', ');
}

function capacityText({ cpus, memory, containers }: Capacity): string {
  const parts = [`${cpus} ${cpus === 1 ? 'CPU' : 'CPUs'}`, `${(memory / 1024 ** 3).toFixed(1)} GB of memory`];
  if (containers !== null) parts.push(`${containers} ${containers === 1 ? 'container' : 'containers'} running`);
  return parts.join(', ');
}
