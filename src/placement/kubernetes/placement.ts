import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { untilExit } from '../../processes/exit.ts';
import { readLines } from '../../server/log.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import { Images } from '../docker/build.ts';
import { connect } from '../docker/connection.ts';
import type { KubernetesPlacementOptions } from '../docker/docker.ts';
import { pushImage } from '../docker/registry.ts';
import {
  type LaneEngine,
  type LaneGroup,
  type NoLane,
  type RunningRelay,
  type TaskEnd,
  untilReported,
} from '../lanes/engine.ts';
import { LaneHub } from '../lanes/hub.ts';
import { LanePlacement } from '../lanes/placement.ts';
import { type Placement, ServerError } from '../placement.ts';
import { failure, Kubectl } from './kubectl.ts';
import {
  GROUP_LABEL,
  LANES_LABEL,
  laneObjects,
  type RelayOwner,
  ROLE_LABEL,
  relayExtras,
  relayJob,
} from './manifests.ts';
import { ENDED, type Pod, readPod, readPods, whyNoPod } from './waiting.ts';

/** How often to look for the pod of the relay, and how long the same thing may keep it away, in ms. */
const LOOK_PERIOD = 500;
const NO_RELAY_LIMIT = 60_000;
/** The beginning of messages of kubectl itself, not of the relay. */
const KUBECTL_SAYS = /^(error|unable)\b/i;

const createdSchema = z.object({ metadata: z.object({ uid: z.string() }) });

/** Environments in lanes: pods of indexed jobs of Kubernetes, which run wherever the cluster has room for them. */
export function kubernetesPlacement(options: KubernetesPlacementOptions): Placement {
  return lanesInKubernetes(options, (kind, progress, signal) => buildAndPush(options, kind, progress, signal));
}

type EnsureImage = LaneEngine<string>['ensureImage'];

/** @param ensureImage the reference of an image that nodes can pull */
export function lanesInKubernetes(
  options: Pick<KubernetesPlacementOptions, 'lanes' | 'limits' | 'namespace' | 'refusedPorts' | 'log'>,
  ensureImage: EnsureImage,
): Placement {
  const { namespace, log } = options;
  const engine = async () => new KubernetesEngine(new Kubectl(namespace), ensureImage, log);
  return new LanePlacement({ ...options, kind: 'kubernetes', name: 'Kubernetes', connect: engine });
}

class KubernetesEngine implements LaneEngine<string> {
  readonly ensureImage: EnsureImage;
  readonly #kubectl: Kubectl;
  readonly #log: (text: string) => void;
  readonly #name = `taskwright-${randomBytes(6).toString('hex')}`;
  /** Whether there may be something to remove. */
  #created = false;
  /** Set when the relay runs. */
  #relay: { readonly owner: RelayOwner; readonly address: string } | null = null;

  constructor(kubectl: Kubectl, ensureImage: EnsureImage, log: (text: string) => void) {
    this.#kubectl = kubectl;
    this.ensureImage = ensureImage;
    this.#log = log;
  }

  async startRelay(options: Parameters<LaneEngine<string>['startRelay']>[0]): Promise<RunningRelay> {
    const { image, secret, signal, onLane } = options;
    const [response] = await this.#kubectl.create(relayJob(this.#name, image));
    this.#created = true;
    try {
      const job = createdSchema.parse(response);
      const owner = { name: this.#name, uid: job.metadata.uid };
      await this.#kubectl.create(...relayExtras(owner, secret));
      const { name, address } = await this.#relayPod(signal);
      this.#relay = { owner, address };
      return this.#attach(name, secret, onLane);
    } catch (error) {
      await this.remove().catch((left: Error) => this.#log(`The relay could not be removed: ${left.message}`));
      throw error;
    }
  }

  async startLanes(group: LaneGroup<string>): Promise<void> {
    if (this.#relay === null) throw new Error('the relay does not run');
    const { owner, address } = this.#relay;
    await this.#kubectl.create(...laneObjects(owner, group, address));
  }

  async whyNoLane(name: string, limits: ContainerLimits): Promise<NoLane | null> {
    const pods = await this.#pods(`${GROUP_LABEL}=${name}`);
    return whyNoPod(pods, pods.length === 0 ? await this.#events(name) : null, limits);
  }

  async endOf(name: string): Promise<TaskEnd | null> {
    return untilReported(async () => {
      const pod = readPod(await this.#kubectl.get(['pod', name]));
      return { end: endOfPod(pod), isRunning: !ENDED.has(pod.status.phase) };
    });
  }

  async remove(): Promise<void> {
    if (!this.#created) return;
    const label = `--selector=${LANES_LABEL}=${this.#name}`;
    await this.#kubectl.run(['delete', 'jobs,networkpolicies,secrets', label, '--wait=false']);
    this.#created = false;
  }

  /** The pod of the relay, once it runs. */
  async #relayPod(signal: AbortSignal): Promise<{ readonly name: string; readonly address: string }> {
    let since: number | null = null;
    for (;;) {
      signal.throwIfAborted();
      const pods = await this.#pods(`${LANES_LABEL}=${this.#name},${ROLE_LABEL}=relay`, signal);
      const [pod] = pods;
      const address = pod?.status.podIP;
      if (pod?.status.phase === 'Running' && address !== undefined) return { name: pod.metadata.name, address };
      if (pod !== undefined && ENDED.has(pod.status.phase)) {
        const { exitCode, error } = endOfPod(pod);
        const message = `The relay of the lanes ended at once (exit code ${exitCode}). ${error}`.trim();
        throw new ServerError('container_start_failed', message);
      }
      const why = whyNoPod(pods, pods.length === 0 ? await this.#events(this.#name) : null, null);
      since = why === null ? null : (since ?? performance.now());
      if (why !== null && since !== null && performance.now() - since > NO_RELAY_LIMIT) {
        throw new ServerError(why.code, `The relay of the lanes does not start: ${why.message}.`);
      }
      await delay(LOOK_PERIOD, undefined, { signal });
    }
  }

  #attach(
    pod: string,
    secret: string,
    onLane: Parameters<LaneEngine<string>['startRelay']>[0]['onLane'],
  ): RunningRelay {
    const child = this.#kubectl.attach(pod, 'relay');
    let lastLine = '';
    const read = readLines(child.stderr, (text) => {
      lastLine = text;
      this.#log(`Relay: ${text}`);
    });
    const { promise, resolve } = Promise.withResolvers<string>();
    const hub = new LaneHub({
      input: child.stdout,
      output: child.stdin,
      secret,
      onLane,
      onEnd: (reason) =>
        void read.then(() => resolve(KUBECTL_SAYS.test(lastLine) ? failure('attach', lastLine).message : reason)),
    });
    const exit = untilExit(child);
    const close = async (): Promise<void> => {
      hub.close();
      child.kill();
      await exit;
    };
    return { whenEnded: promise, close };
  }

  async #pods(label: string, signal?: AbortSignal): Promise<readonly Pod[]> {
    return readPods(await this.#kubectl.get(['pods', `--selector=${label}`], signal));
  }

  /** The events of a job; null if the user may not read them. */
  #events(job: string): Promise<unknown> {
    return this.#kubectl
      .get(['events', `--field-selector=involvedObject.kind=Job,involvedObject.name=${job}`])
      .catch(() => null);
  }
}

function endOfPod({ status }: Pod): TaskEnd {
  const termination = status.containerStatuses[0]?.state.terminated;
  const { message, reason } = status;
  return { exitCode: termination?.exitCode ?? null, error: [reason, message].filter((part) => part !== '').join(': ') };
}

/** Builds an image with Docker, unless it exists, and pushes it to the registry. */
async function buildAndPush(
  { installation, registry, hosts, onBuild }: KubernetesPlacementOptions,
  ...[kind, progress, signal]: Parameters<EnsureImage>
): Promise<string> {
  if (registry === null) {
    const message = 'Kubernetes needs a registry for the images. Name one to which you can push with --registry.';
    throw new ServerError('image_unreachable', message);
  }
  const { docker } = await connect({ host: hosts[0] });
  const tag = await new Images(installation, onBuild).ensure(docker, kind, progress, signal);
  return (await pushImage(docker, tag, registry, progress, signal)).reference;
}
