import { join } from 'node:path';
import { describeSystemError, isSystemError } from '../base/system-error.ts';
import type { ImageBuild } from '../placement/docker/docker.ts';
import { loadDocker } from '../placement/load-containers.ts';
import { localPlacement } from '../placement/local.ts';
import type { ContainerLimits } from '../tasks/placement-options.ts';
import { EXIT } from './command.ts';
import { Output, type Sink } from './output.ts';
import { printBuild } from './progress.ts';
import { readyTaskFolders } from './task-folders.ts';

/** The folder that contains `dist`, `docker`, and `node_modules`. */
const INSTALL_FOLDER = join(__dirname, '..');

function sink(stream: NodeJS.WriteStream): Sink {
  return {
    write: (text) => void stream.write(text),
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns ?? 80;
    },
  };
}

/** The limits of containers that `TASKWRIGHT_DOCKER_LIMITS` sets, as JSON with the keys of `metadata.docker`. */
async function containerLimitsIn(text = '{}'): Promise<Partial<ContainerLimits>> {
  const [{ containerLimitsSchema, LIMIT_WORDS }, { ServerError }] = await Promise.all([
    import('../tasks/placement-options.ts'),
    import('../placement/placement.ts'),
  ]);
  try {
    return containerLimitsSchema.partial().strict().parse(JSON.parse(text)) as Partial<ContainerLimits>;
  } catch (error) {
    const keys = Object.entries(LIMIT_WORDS).map(([key, words]) => `"${key}": ${words}`);
    const message = `TASKWRIGHT_DOCKER_LIMITS requires a JSON object, not “${text}”. Keys: ${keys.join('; ')}.`;
    throw new ServerError('bad_limits', message, { cause: error });
  }
}

/** Resolves when all output is flushed, so that the process can exit. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write('', () => resolve());
  });
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const output = new Output(sink(process.stdout), sink(process.stderr), process.env);
  const interrupt = new AbortController();
  let code: number = EXIT.interrupted;
  for (const [signal, number] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => {
      // A second signal exits at once. Child processes end with this process.
      if (interrupt.signal.aborted) process.exit(number);
      code = number;
      interrupt.abort();
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (interrupt.signal.aborted) return;
      interrupt.abort();
      // The reader of the pipe has ended, as with `| head`.
      if (error.code === 'EPIPE') return;
      code = EXIT.not;
      output.note(`The output cannot be written: ${describeSystemError(error)}.`);
    });
  }
  const verbose = args.includes('--verbose');
  const log = (text: string): void => {
    if (verbose) output.note(output.paintNote('dim', text));
  };
  const { runCommandLine } = await import('./program.ts');
  const exit = await runCommandLine(args, {
    cwd: process.cwd(),
    output,
    streams: { input: process.stdin, output: process.stdout },
    signal: interrupt.signal,
    makePlacement: async (kind, warm, refusedPorts, { hosts, lanes, registry, namespace }) => {
      if (kind === 'local') {
        const serverProgram = join(__dirname, 'server.js');
        return localPlacement({ serverProgram, log, prepareNext: warm > 0, refusedPorts });
      }
      const { dockerPlacement, kubernetesPlacement, swarmPlacement } = await loadDocker();
      const onBuild = (build: ImageBuild): void => printBuild(build, output, verbose);
      const limits = await containerLimitsIn(process.env['TASKWRIGHT_DOCKER_LIMITS']);
      const common = { installation: INSTALL_FOLDER, limits, hosts, log, onBuild, refusedPorts };
      if (kind === 'docker') return dockerPlacement({ ...common, warm });
      const inLanes = { ...common, lanes, registry };
      if (kind === 'kubernetes') return kubernetesPlacement({ ...inLanes, namespace });
      const onNodesWithoutImages = (without: number, all: number): void =>
        output.note(
          `${without} of ${all} nodes of the swarm have no image and run no tasks. ` +
            'Name a registry that all nodes reach with --registry, or their hosts with --hosts.',
        );
      return swarmPlacement({ ...inLanes, onNodesWithoutImages });
    },
    defaultPlacement: process.env['TASKWRIGHT_PLACEMENT'] || null,
    keep: {
      days: process.env['TASKWRIGHT_KEEP_DAYS'] || null,
      size: process.env['TASKWRIGHT_KEEP_SIZE'] || null,
    },
    serving: {
      token: process.env['TASKWRIGHT_TOKEN'] || null,
      agentToken: process.env['TASKWRIGHT_AGENT_TOKEN'] || null,
      container: process.env['TASKWRIGHT_CONTAINER'] === '1',
    },
    taskFolders: () => readyTaskFolders(process.env),
    buildTaskImage: async (options) =>
      (await loadDocker()).buildTaskImage({ installation: INSTALL_FOLDER, ...options }),
    engines: {
      findDocker: async (query) => (await loadDocker()).findDocker(INSTALL_FOLDER, query),
      findKubernetes: async () => (await loadDocker()).findKubernetes(null),
    },
  });
  output.progress('');
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  process.exit(interrupt.signal.aborted ? code : exit);
}

main().catch((error: unknown) => {
  const output = new Output(sink(process.stdout), sink(process.stderr), process.env);
  output.note(
    isSystemError(error)
      ? `Taskwright cannot continue: ${error.path === undefined ? '' : `${error.path}: `}${describeSystemError(error)}.`
      : `Internal error in Taskwright: ${error instanceof Error ? error.stack : String(error)}`,
  );
  process.exit(EXIT.not);
});
