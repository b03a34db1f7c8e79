import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import type Docker from 'dockerode';
import { PATIENCE } from '../../base/patience.ts';
import { AGENT_HOME } from '../../environments/workspace/agent-user.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import { TASK_MOUNT } from '../task-folder.ts';
import { IMAGES, type ImageKind, runsCommands } from './image.ts';
import { KIND_LABEL, OWNER_LABEL } from './owner.ts';

const HOME = '/home/taskwright';
/** Only the user of the server may enter this folder. The folder of the task is mounted in it. */
const PRIVATE = dirname(TASK_MOUNT);
/** Candidates for the user id of the agent's commands; the first that is not in use. */
const AGENT_IDS = [10_002, 10_003, 10_004];
/** Mount point of the MiniWoB++ pages. */
const MINIWOB_MOUNT = '/opt/taskwright/miniwob';
const MEGABYTE = 1024 * 1024;
/** The user in containers if the local user is root, or if user ids in containers differ from local ones. */
export const IMAGE_USER = { uid: 10_001, gid: 10_001 };

/** Options of a container whose standard streams are attached, and whose input ends with its owner. */
export const ATTACHED = {
  OpenStdin: true,
  StdinOnce: true,
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  Tty: false,
} as const;

/** The share of the memory for the JavaScript heap of sessions. The browser needs the rest. */
const SESSION_SHARE = 0.5;
const MAX_SESSION_MEMORY = 1024;

/** Everything that must match for a container to be used for a run. */
export interface ContainerSpec {
  readonly image: string;
  readonly kind: ImageKind;
  /** Local folder to mount; null if files are sent over the control channel. */
  readonly folder: string | null;
  readonly limits: ContainerLimits;
  /** Local folder with the MiniWoB++ pages, for tasks of that benchmark; otherwise null. */
  readonly miniwob: string | null;
}

/** Settings that all containers of a placement share. */
export interface ContainerSecurity {
  /** Value of the owner label. */
  readonly owner: string;
  /** The seccomp profile as JSON. */
  readonly seccomp: string;
  /** User and group ids inside the container. Never root. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Environment variables that select custom tasks, such as `OPENENV_TASK_MODULE`. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** User and group id of the agent's commands; null if the agent runs no commands. `user`: the user of the server. */
export function agentIdOf(kind: ImageKind, user: ContainerSecurity['user']): number | null {
  if (!runsCommands(kind)) return null;
  return AGENT_IDS.find((id) => id !== user.uid && id !== user.gid) ?? null;
}

/**
 * Options for creating a container: no capabilities and no way to gain any, a read-only root file system, limits on
 * memory, processors, and processes, and automatic removal when standard input closes. Everything runs as one
 * unprivileged user. If the agent runs commands, a supervisor starts the server and these commands as two unprivileged
 * users.
 */
export function createOptions(
  spec: ContainerSpec,
  { owner, seccomp, user, variables = {} }: ContainerSecurity,
): Docker.ContainerCreateOptions {
  const { image, kind, folder, limits, miniwob } = spec;
  const mounts = [
    { from: folder, to: TASK_MOUNT },
    { from: miniwob, to: MINIWOB_MOUNT },
  ];
  const memory = limits.memory * MEGABYTE;
  const sessions = Math.min(MAX_SESSION_MEMORY, Math.floor(limits.memory * SESSION_SHARE));
  const agent = agentIdOf(kind, user);
  // Files in tmpfs count as memory. The size limit gives a “no space left” error before the container runs out of
  // memory.
  const share = (part: number): string => `size=${Math.floor(memory * part)}`;
  const ownership = `uid=${user.uid},gid=${user.gid},mode=0700`;
  return {
    name: `taskwright-${randomBytes(6).toString('hex')}`,
    Image: image,
    Cmd: [
      ...(agent !== null
        ? ['node', '/opt/taskwright/dist/supervisor.js', `${user.uid}:${user.gid}`, String(agent)]
        : []),
      ...['node', '/opt/taskwright/dist/server.js', '--memory', String(sessions), '--alone'],
      ...(IMAGES.get(kind)?.startsBrowser === true ? [] : ['--browser-later']),
    ],
    User: agent !== null ? '0:0' : `${user.uid}:${user.gid}`,
    Env: [
      `HOME=${HOME}`,
      ...(process.env[PATIENCE] === undefined ? [] : [`${PATIENCE}=${process.env[PATIENCE]}`]),
      ...(miniwob === null ? [] : [`TASKWRIGHT_MINIWOB=${MINIWOB_MOUNT}`]),
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    ],
    Labels: { [OWNER_LABEL]: owner, [KIND_LABEL]: kind },
    ...ATTACHED,
    HostConfig: {
      AutoRemove: true,
      Init: true,
      ReadonlyRootfs: true,
      Tmpfs: {
        '/tmp': `rw,nosuid,nodev,mode=1777,${share(1 / 2)}`,
        '/run': `rw,nosuid,nodev,noexec,mode=0755,${share(1 / 16)}`,
        [HOME]: `rw,nosuid,nodev,${ownership}`,
        [PRIVATE]: `rw,nosuid,nodev,noexec,${ownership}`,
        ...(agent !== null && {
          [AGENT_HOME]: `rw,nosuid,nodev,exec,uid=${agent},gid=${agent},mode=0755,${share(1 / 8)}`,
        }),
      },
      Mounts: mounts.flatMap(({ from, to }) =>
        from === null ? [] : [{ Type: 'bind' as const, Source: from, Target: to, ReadOnly: true }],
      ),
      CapDrop: ['ALL'],
      ...(agent !== null && { CapAdd: ['SETUID', 'SETGID', 'KILL'] }),
      SecurityOpt: ['no-new-privileges', `seccomp=${seccomp}`],
      ...limitOptions(limits),
      // Standard output is the control channel; otherwise the daemon would write every screenshot to its log.
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}

export function limitOptions({ network, memory, cpus, pids }: ContainerLimits): Docker.HostConfig {
  return {
    NetworkMode: network,
    Memory: memory * MEGABYTE,
    // Memory plus swap, so no swap.
    MemorySwap: memory * MEGABYTE,
    NanoCpus: Math.round(cpus * 1e9),
    PidsLimit: pids,
    ShmSize: Math.min(256, Math.floor(memory / 2)) * MEGABYTE,
  };
}

/** The seccomp profile of the installation, as compact JSON. */
export async function readSeccomp(installation: string): Promise<string> {
  return JSON.stringify(JSON.parse(await readFile(join(installation, 'docker', 'seccomp.json'), 'utf8')));
}
