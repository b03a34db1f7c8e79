import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { CommandContext, DockerChoice } from '../../../src/cli/command.ts';
import { Output, type Sink } from '../../../src/cli/output.ts';
import { runCommandLine } from '../../../src/cli/program.ts';
import { readyTaskFolders } from '../../../src/cli/task-folders.ts';
import type { DockerState } from '../../../src/placement/docker/docker.ts';
import { type Placement, ServerError } from '../../../src/placement/placement.ts';
import type { PlacementKind } from '../../../src/tasks/placement-kind.ts';
import { FakePlacement } from '../runs/fake-placement.ts';

/** What one command line came to. */
export interface Said {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

class Text implements Sink {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 80;
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string): void {
    this.text += text;
  }
}

/** Carries out a command line as `taskwright` would, with an environment of the test's. */
export async function taskwright(
  args: readonly string[],
  of: {
    cwd: string;
    placement?: Placement;
    /** Of each kind one; `placement` is for all. */
    placements?: Readonly<Partial<Record<PlacementKind, Placement>>>;
    /** Called with what the user says of Docker, for each placement. */
    onDocker?: (choice: DockerChoice) => void;
    /** Called with how many environments each placement keeps ready. */
    onReady?: (count: number) => void;
    docker?: DockerState;
    buildTaskImage?: CommandContext['buildTaskImage'];
    signal?: AbortSignal;
    streams?: CommandContext['streams'];
    terminal?: boolean;
    environment?: Record<string, string>;
  },
): Promise<Said> {
  const out = new Text(of.terminal === true);
  const err = new Text(of.terminal === true);
  const exit = await runCommandLine(args, {
    cwd: of.cwd,
    output: new Output(out, err, of.environment ?? {}),
    streams: of.streams ?? { input: new PassThrough(), output: new PassThrough() },
    signal: of.signal ?? new AbortController().signal,
    makePlacement: async (kind, warm, _ports, docker) => {
      of.onDocker?.(docker);
      of.onReady?.(warm);
      return of.placements?.[kind] ?? of.placement ?? new FakePlacement({}, kind);
    },
    defaultPlacement: of.environment?.['TASKWRIGHT_PLACEMENT'] || null,
    keep: {
      days: of.environment?.['TASKWRIGHT_KEEP_DAYS'] || null,
      size: of.environment?.['TASKWRIGHT_KEEP_SIZE'] || null,
    },
    serving: { token: null, agentToken: null, container: false },
    taskFolders: () => readyTaskFolders(of.environment ?? {}, join(of.cwd, 'custom_tasks')),
    buildTaskImage:
      of.buildTaskImage ?? (() => Promise.reject(new ServerError('docker_missing', 'There is no Docker.'))),
    engines: {
      findDocker: async () => of.docker ?? { found: false, tried: [], message: 'There is no Docker.', fix: '' },
      findKubernetes: async () => ({ found: false, message: 'There is no cluster.' }),
    },
  });
  return { exit, out: out.text, err: err.text };
}
