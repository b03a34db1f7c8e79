import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path/posix';
import type Docker from 'dockerode';
import { AGENT_HOME } from '../../environments/workspace/agent-user.ts';
import { TASK_MODULE } from '../../functions/user/task-module.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import { TASK_MOUNT } from '../task-folder.ts';
import { IMAGES, type ImageKind } from './image.ts';
import { KIND_LABEL, OWNER_LABEL } from './owner.ts';

const HOME = '/home/taskwright';
/** What only the server's user may enter: the folder of the task is mounted below it. */
const PRIVATE = dirname(TASK_MOUNT);
/** Who the agent's commands run as, where that is nobody else's number. */
const AGENT_IDS = [10_002, 10_003, 10_004];
/** Where a container sees the pages of MiniWoB++. */
const MINIWOB_MOUNT = '/opt/taskwright/miniwob';
const MEGABYTE = 1024 * 1024;
/** Megabytes of a container that its sessions' JavaScript may take; the browser needs the rest. */
const SESSION_SHARE = 0.5;
const MOST_SESSION_MEMORY = 1024;

/** What makes one container as good as another. */
export interface ContainerSpec {
  readonly image: string;
  /** What the image is of. */
  readonly kind: ImageKind;
  /** Folder of this machine that is mounted; null where files go in over the control channel. */
  readonly folder: string | null;
  readonly limits: ContainerLimits;
  /** Folder of this machine with the pages of MiniWoB++, for a task of it; null for any other. */
  readonly miniwob: string | null;
}

/** What is the same for all containers of a placement. */
export interface Sealing {
  /** Value of the owner's label. */
  readonly owner: string;
  /** The seccomp profile as JSON. */
  readonly seccomp: string;
  /** Who everything runs as inside: numbers, never root's. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** The module of custom tasks in each folder of tasks, as `OPENENV_TASK_MODULE` names it. */
  readonly taskModule?: string;
}

/**
 * The number of the user and group that the agent's commands run as in a container of a kind; null where an agent runs no
 * commands. `user`: who the server runs as.
 */
export function agentIdOf(kind: ImageKind, user: Sealing['user']): number | null {
  if (IMAGES.get(kind)?.agentCommands !== true) return null;
  return AGENT_IDS.find((id) => id !== user.uid && id !== user.gid) ?? null;
}

/**
 * How a container is created: without capabilities or a way to get any, nothing of its own disk writable, limited in
 * memory, processors and processes, and gone when its standard input closes. It runs as one user who is not root; where
 * the agent runs commands, a supervisor starts the server and these commands as two users, neither of them root.
 */
export function createOptions(
  spec: ContainerSpec,
  { owner, seccomp, user, taskModule = '' }: Sealing,
): Docker.ContainerCreateOptions {
  const { image, kind, folder, limits, miniwob } = spec;
  const mounts = [
    { from: folder, to: TASK_MOUNT },
    { from: miniwob, to: MINIWOB_MOUNT },
  ];
  const memory = limits.memory * MEGABYTE;
  const sessions = Math.min(MOST_SESSION_MEMORY, Math.floor(limits.memory * SESSION_SHARE));
  const agent = agentIdOf(kind, user);
  // Files in memory count as memory: who fills a folder is told that it is full before the container is.
  const share = (part: number): string => `size=${Math.floor(memory * part)}`;
  const own = `uid=${user.uid},gid=${user.gid},mode=0700`;
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
      ...(miniwob === null ? [] : [`TASKWRIGHT_MINIWOB=${MINIWOB_MOUNT}`]),
      ...(taskModule === '' ? [] : [`${TASK_MODULE}=${taskModule}`]),
    ],
    Labels: { [OWNER_LABEL]: owner, [KIND_LABEL]: kind },
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    HostConfig: {
      AutoRemove: true,
      Init: true,
      NetworkMode: limits.network,
      ReadonlyRootfs: true,
      Tmpfs: {
        '/tmp': `rw,nosuid,nodev,mode=1777,${share(1 / 2)}`,
        '/run': `rw,nosuid,nodev,noexec,mode=0755,${share(1 / 16)}`,
        [HOME]: `rw,nosuid,nodev,${own}`,
        [PRIVATE]: `rw,nosuid,nodev,noexec,${own}`,
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
      Memory: memory,
      // Together with swap: none beyond it.
      MemorySwap: memory,
      NanoCpus: Math.round(limits.cpus * 1e9),
      PidsLimit: limits.pids,
      ShmSize: Math.min(256, Math.floor(limits.memory / 2)) * MEGABYTE,
      // Standard output is the control channel: every picture would be written to the daemon's disk.
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
