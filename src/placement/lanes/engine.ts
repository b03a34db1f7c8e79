import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorCode } from '../../environments/faults.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { ImageKind } from '../docker/image.ts';
import type { Lane } from './hub.ts';

/** The placements that run environments in lanes. */
export type LaneKind = Extract<PlacementKind, 'swarm' | 'kubernetes'>;

/** Why no lane is available. */
export interface NoLane {
  readonly code: Extract<ErrorCode, 'container_start_failed' | 'image_unreachable' | 'no_room' | 'overlay_missing'>;
  readonly message: string;
}

/** How a task or a pod has ended, as the engine reports it. */
export interface TaskEnd {
  readonly exitCode: number | null;
  /** The message of the engine; empty if there is none. */
  readonly error: string;
}

/** How often to request how a task or a pod has ended, and how long to wait in between, in ms. */
const REPORT_ATTEMPTS = 10;
const REPORT_PERIOD = 300;

/** How a task or a pod has ended; null if it no longer exists, or nobody answers, which is reported elsewhere. */
export async function untilReported(
  read: () => Promise<{ readonly end: TaskEnd; readonly isRunning: boolean }>,
): Promise<TaskEnd | null> {
  try {
    // The node reports the end of a container a moment later.
    for (let attempt = 1; ; attempt += 1) {
      const { end, isRunning } = await read();
      if (!isRunning || attempt === REPORT_ATTEMPTS) return end;
      await delay(REPORT_PERIOD);
    }
  } catch {
    return null;
  }
}

/** A running relay, which joins lanes. */
export interface RunningRelay {
  /** Resolves with the reason when it has ended. */
  readonly whenEnded: Promise<string>;
  close(): Promise<void>;
}

/** What all lanes of a group have in common. */
export interface LaneGroup<Image> {
  /** Name of the group, which lanes send first. */
  readonly name: string;
  readonly image: Image;
  readonly kind: ImageKind;
  readonly limits: ContainerLimits;
  readonly lanes: number;
  readonly secret: string;
}

/** What starts lanes and their relay for one placement. Everything rejects with `ServerError`. */
export interface LaneEngine<Image> {
  /** The image of a kind, where nodes can get it. */
  ensureImage(kind: ImageKind, progress: (text: string) => void, signal: AbortSignal): Promise<Image>;
  startRelay(options: {
    readonly image: Image;
    readonly secret: string;
    readonly signal: AbortSignal;
    onLane(lane: Lane): void;
  }): Promise<RunningRelay>;
  /** Called when the relay runs. */
  startLanes(group: LaneGroup<Image>): Promise<void>;
  /** What keeps the lanes of a group away; null if they are just starting. */
  whyNoLane(name: string, limits: ContainerLimits): Promise<NoLane | null>;
  /** How a task or a pod, as a lane names it, has ended; null if that is unknown. Never rejects. */
  endOf(task: string): Promise<TaskEnd | null>;
  /** Removes everything that it has started. Called once, at the end. */
  remove(): Promise<void>;
}

/** How a placement connects to its engine, and the name of the engine in messages. */
export interface LaneEngineOptions<Image> {
  readonly kind: LaneKind;
  /** In messages: `Docker Swarm`. */
  readonly name: string;
  readonly lanes: number;
  readonly limits: Partial<ContainerLimits>;
  readonly refusedPorts?: readonly number[];
  log(text: string): void;
  connect(): Promise<LaneEngine<Image>>;
}
