import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { LogLines } from '../../base/log-lines.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { ServerError } from '../placement.ts';
import type { ImageBuild } from './docker.ts';
import { type BuildContext, IMAGE_LABEL, type ImageKind, packContext, readContext } from './image.ts';
import { ignoring } from './remove.ts';

/** The newest images of each kind to keep: two windows may use two versions of Taskwright. */
const MAX_IMAGES = 3;

type LineListener = Parameters<ImageBuild['onLine']>[0];

/** Finds the images for containers by a hash of their content, and builds missing ones. */
export class Images {
  readonly #installation: string;
  readonly #onBuild: ((build: ImageBuild) => void) | undefined;
  readonly #ready = new Map<ImageKind, string>();
  readonly #building = new Map<string, Build>();

  constructor(installation: string, onBuild?: (build: ImageBuild) => void) {
    this.#installation = installation;
    this.#onBuild = onBuild;
  }

  /**
   * Returns the tag of the image of a kind, and builds the image if it is missing. Rejects with `image_build_failed` or
   * the reason of the signal.
   */
  async ensure(
    docker: Docker,
    kind: ImageKind,
    progress: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<string> {
    const ready = this.#ready.get(kind);
    if (ready !== undefined) return ready;
    const context = await readContext(this.#installation, kind).catch((error: Error) => {
      throw new ServerError(
        'image_build_failed',
        `The image cannot be built: ${error.message}. The installation of Taskwright is incomplete. Install it again.`,
        { cause: error },
      );
    });
    await this.make(docker, context, progress, signal);
    this.#ready.set(kind, context.tag);
    return context.tag;
  }

  /**
   * Builds an image unless its tag exists. Several callers can share a build, which is cancelled when no caller waits any
   * longer. Rejects like `ensure`.
   */
  async make(
    docker: Docker,
    context: BuildContext,
    progress: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    signal?.throwIfAborted();
    if (await imageExists(docker, context.tag)) return;
    const build = this.#building.get(context.tag) ?? this.#begin(docker, context);
    progress('Building the image');
    const stop = build.onLine((line, { step, steps, label }) => {
      const text = label ?? line.trim().replace(/^Step \d+\/\d+ : /, '');
      // Messages about layers are of no use to the user.
      if (text === '' || /^(?:--->|Removing intermediate)/.test(text)) return;
      progress(`Building the image: step ${step} of ${steps}: ${text.slice(0, 120)}`);
    });
    try {
      await build.wait(signal);
    } finally {
      stop();
    }
  }

  /** Forgets which images exist, because one was removed. */
  forget(): void {
    this.#ready.clear();
  }

  #begin(docker: Docker, context: BuildContext): Build {
    const build = new Build(docker, context);
    this.#building.set(build.tag, build);
    const remove = () => this.#building.delete(build.tag);
    build.done.then(remove, remove);
    this.#onBuild?.(build);
    return build;
  }
}

export async function imageExists(docker: Docker, tag: string): Promise<boolean> {
  return (await imageId(docker, tag)) !== null;
}

/** The content of an image; null if there is none. */
export async function imageId(docker: Docker, tag: string): Promise<string | null> {
  try {
    return (await docker.getImage(tag).inspect()).Id;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return null;
    throw error;
  }
}

/** The build of one image. */
export class Build implements ImageBuild {
  readonly tag: string;
  readonly done: Promise<void>;
  readonly whenEnded: Promise<{ readonly built: boolean }>;
  readonly #docker: Docker;
  readonly #context: BuildContext;
  readonly #cancel = new AbortController();
  readonly #listeners = new Set<LineListener>();
  readonly #logLines = new LogLines();
  #waiting = 0;
  #at: Parameters<LineListener>[1] = { step: 0, steps: 0, label: null };
  #labels: readonly (string | null)[] = [];

  constructor(docker: Docker, context: BuildContext) {
    this.tag = context.tag;
    this.#docker = docker;
    this.#context = context;
    this.done = this.#run();
    this.whenEnded = this.done.then(
      () => ({ built: true }),
      () => ({ built: false }),
    );
  }

  onLine(listener: LineListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  cancel(): void {
    this.#cancel.abort(new ServerError('image_build_cancelled', 'The image build was cancelled.'));
  }

  async wait(signal?: AbortSignal): Promise<void> {
    this.#waiting += 1;
    try {
      await untilAborted(this.done, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.cancel();
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#cancel;
    // An unreadable file fails the build.
    const dockerfile = await readFile(this.#context.dockerfile, 'utf8').catch(() => '');
    this.#labels = instructionLines(dockerfile).map(({ label }) => label);
    const archive = packContext(this.#context);
    try {
      const stream = await this.#docker.buildImage(archive as unknown as NodeJS.ReadableStream, {
        t: this.tag,
        labels: { [IMAGE_LABEL]: this.#context.kind },
        ...(this.#context.args && { buildargs: { ...this.#context.args } }),
        forcerm: true,
        abortSignal: signal,
      });
      const failure = await this.#follow(stream, signal);
      if (failure !== null) throw await this.#failure(failure);
    } catch (error) {
      archive.destroy();
      signal.throwIfAborted();
      if (error instanceof ServerError) throw error;
      throw await this.#failure((error as Error).message.trim());
    }
    const { kind } = this.#context;
    if (kind === 'tasks') return;
    await clearOld(this.#docker, kind, this.tag).catch((error: Error) =>
      this.#emit(`Old images could not be removed: ${error.message}`),
    );
  }

  /** Reads the output of the build to its end. Resolves with the error, or null. */
  async #follow(stream: NodeJS.ReadableStream, signal: AbortSignal): Promise<string | null> {
    let failure: string | null = null;
    const onEvent = ({ error, stream: output, status, id }: BuildEvent): void => {
      if (error !== undefined) failure = error;
      else if (output !== undefined) this.#emit(output);
      else if (status !== undefined && id === undefined) this.#emit(status);
    };
    const end = new Promise<void>((resolve, reject) => {
      this.#docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()), onEvent);
    });
    try {
      await untilAborted(end, signal);
    } finally {
      if (signal.aborted) (stream as unknown as { destroy(): void }).destroy();
    }
    return failure;
  }

  #emit(text: string): void {
    for (const line of text.split(/[\r\n]+/)) {
      if (line === '') continue;
      const step = /^Step (\d+)\/(\d+) : /.exec(line);
      if (step !== null) {
        const number = Number(step[1]);
        this.#at = { step: number, steps: Number(step[2]), label: this.#labels[number - 1] ?? null };
        this.#logLines.clear();
      }
      this.#logLines.add(line);
      for (const listener of this.#listeners) listener(line, this.#at);
    }
  }

  /** The error of a failed build: the line of the Dockerfile and the last output. */
  async #failure(reason: string): Promise<ServerError> {
    const { dockerfile } = this.#context;
    const { step, steps } = this.#at;
    // If the file cannot be read, the number of the step is reported without its line.
    const instruction = instructionLines(await readFile(dockerfile, 'utf8').catch(() => ''))[step - 1];
    const line = instruction === undefined ? '' : `:${instruction.line}:\n${instruction.text}`;
    const position = step === 0 ? 'before its first step' : `at step ${step} of ${steps}, ${dockerfile}${line}`;
    const output = this.#logLines.last.filter((line) => !/^(Step \d+\/| ---> )/.test(line)).join('\n');
    return new ServerError(
      'image_build_failed',
      `The image build failed ${position}\n${output === '' ? '' : `Last output:\n${output}\n`}${reason}\nCheck that Docker can reach the network, or run the task on this machine (\`--placement local\`).`,
    );
  }
}

interface BuildEvent {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly error?: string;
}

/** An instruction of a Dockerfile. */
export interface Instruction {
  /** From 1. */
  readonly line: number;
  /** Its first line. */
  readonly text: string;
  /** What it does, from a comment `# step: TEXT` before it. */
  readonly label: string | null;
}

/** The instructions of a Dockerfile in order. */
export function instructionLines(dockerfile: string): Instruction[] {
  const instructions: Instruction[] = [];
  let label: string | null = null;
  let isContinued = false;
  dockerfile.split(/\r?\n/).forEach((text, index) => {
    // Comments are allowed between the lines of an instruction.
    if (/^\s*(#|$)/.test(text)) {
      label = /^# step: (.+)$/.exec(text)?.[1] ?? label;
      return;
    }
    if (!isContinued) {
      instructions.push({ line: index + 1, text: text.trim(), label });
      label = null;
    }
    isContinued = /\\\s*$/.test(text);
  });
  return instructions;
}

/** Removes what cancelled builds have left, and old images of a kind. */
async function clearOld(docker: Docker, kind: ImageKind, tag: string): Promise<void> {
  const images = await docker.listImages({ filters: { reference: [tag.split(':')[0] ?? tag] } });
  const outdatedNames = images
    .sort((a, b) => b.Created - a.Created)
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .filter((name) => name !== tag)
    .slice(MAX_IMAGES - 1);
  for (const name of outdatedNames) {
    // A container of another window may use it.
    await docker.getImage(name).remove().catch(ignoring(404, 409));
  }
  // Only old ones: another window may be building, and the first stage, which has no name either, serves as cache for
  // the next build.
  await docker.pruneImages({ filters: { dangling: ['true'], label: [`${IMAGE_LABEL}=${kind}`], until: ['168h'] } });
}
