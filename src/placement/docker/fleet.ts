import { untilAborted } from '../../base/until-aborted.ts';
import type { ErrorCode } from '../../environments/faults.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { Task } from '../../tasks/task.ts';
import type { Capacity } from '../capacity.ts';
import {
  isServerError,
  type Lease,
  type OpenOptions,
  type Placement,
  type RunningEnvironment,
  ServerError,
} from '../placement.ts';
import { limitsOf } from './limits.ts';

/** What a host has for all containers together. */
export type HostCapacity = Pick<Capacity, 'cpus' | 'memory'>;

/** One of several Docker hosts. */
export interface FleetHost {
  /** As the user wrote it. */
  readonly name: string;
  readonly placement: Placement;
  /** Rejects with `ServerError` if the host cannot be reached. */
  capacity(): Promise<HostCapacity>;
}

/** How long a host that has failed gets no runs while others do, in ms. */
const AWAY = 30_000;
const MB = 1024 * 1024;

/** Failures of a host that still answers, such as one that is shutting down or has a full disk. */
const MAY_BE_THE_HOST: ReadonlySet<ErrorCode> = new Set([
  'container_create_failed',
  'container_start_failed',
  'container_died',
  'docker_gone',
]);

/** A host with the containers that this process has there. */
interface Member extends FleetHost {
  /** Null before it was requested, and after something there has died. */
  capacityNow: Promise<HostCapacity> | null;
  awayUntil: number;
  readonly usedLimits: Set<ContainerLimits>;
}

/**
 * Environments on several Docker hosts: each run goes to the host with the most room. A run whose host cannot be reached goes
 * to another; one whose host dies ends with an error that can be retried, and the retry goes to another host.
 */
export class Fleet implements Placement {
  readonly kind = 'docker';
  readonly #members: readonly Member[];
  readonly #limits: Partial<ContainerLimits>;
  readonly #log: (text: string) => void;

  constructor(
    hosts: readonly FleetHost[],
    { limits, log }: { readonly limits: Partial<ContainerLimits>; readonly log: (text: string) => void },
  ) {
    this.#members = hosts.map((host) => ({ ...host, capacityNow: null, awayUntil: 0, usedLimits: new Set() }));
    this.#limits = limits;
    this.#log = log;
  }

  async open(task: Task, options: OpenOptions): Promise<Lease> {
    const limits = limitsOf(task, this.#limits);
    const failures = new Map<Member, Error>();
    for (;;) {
      const reserving = this.#reserve(limits, failures);
      const member = await untilAborted(reserving, options.signal).catch((error: unknown) => {
        // A host that answers late has its room back.
        void reserving.then(
          ({ usedLimits }) => usedLimits.delete(limits),
          () => {},
        );
        throw error;
      });
      try {
        options.signal?.throwIfAborted();
        return await this.#openOn(member, task, options, limits);
      } catch (error) {
        member.usedLimits.delete(limits);
        options.signal?.throwIfAborted();
        member.capacityNow = null;
        const asking = this.#readCapacity(member).then(
          () => null,
          (reason: Error) => reason,
        );
        const hostFailure = await untilAborted(asking, options.signal);
        if (hostFailure !== null) failures.set(member, hostFailure);
        else if (isServerError(error) && MAY_BE_THE_HOST.has(error.code)) {
          failures.set(member, error);
          this.#avoid(member, error);
        } else throw error;
      }
    }
  }

  running(): readonly RunningEnvironment[] {
    return this.#members.flatMap(({ placement }) => placement.running());
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#members.map(({ placement }) => placement.dispose()));
  }

  async #openOn(member: Member, task: Task, options: OpenOptions, limits: ContainerLimits): Promise<Lease> {
    const lease = await member.placement.open(task, options);
    void lease.server.whenEnded.then(({ code }) => {
      if (code === 'docker_gone' || code === 'container_died') member.capacityNow = null;
    });
    const release = async (): Promise<void> => {
      member.usedLimits.delete(limits);
      await lease.release();
    };
    return { ...lease, host: member.name, release };
  }

  /** Reserves room for a container on the host that has the most. Rejects if no host can be reached. */
  async #reserve(limits: ContainerLimits, failures: Map<Member, Error>): Promise<Member> {
    const left = this.#members.filter((member) => !failures.has(member));
    const present = left.filter(({ awayUntil }) => awayUntil <= Date.now());
    const candidates = present.length > 0 ? present : left;
    const capacities = new Map<Member, HostCapacity>();
    await Promise.all(
      candidates.map(async (member) => {
        try {
          capacities.set(member, await this.#readCapacity(member));
        } catch (error) {
          failures.set(member, error as Error);
        }
      }),
    );
    let best: { readonly member: Member; readonly room: number } | null = null;
    // In the order of the user's list: of two with the same room, the first gets the run.
    for (const member of candidates) {
      const capacity = capacities.get(member);
      if (capacity === undefined) continue;
      const room = freeCapacity(capacity, member.usedLimits, limits);
      if (best === null || room > best.room) best = { member, room };
    }
    if (best !== null) {
      best.member.usedLimits.add(limits);
      return best.member;
    }
    if (failures.size < this.#members.length) return this.#reserve(limits, failures);
    const other = [...failures.values()].find((error) => isServerError(error) && error.code !== 'docker_missing');
    if (other !== undefined) throw other;
    const reasons = [...failures].map(([{ name }, { message }]) => `${name}: ${message}`);
    throw new ServerError('docker_missing', `No Docker host can be reached. ${reasons.join('; ')}.`);
  }

  /** The capacity of a host, which is requested once. */
  async #readCapacity(member: Member): Promise<HostCapacity> {
    member.capacityNow ??= member.capacity();
    const request = member.capacityNow;
    try {
      const capacity = await request;
      member.awayUntil = 0;
      return capacity;
    } catch (error) {
      if (!isServerError(error)) throw error;
      if (member.capacityNow === request) member.capacityNow = null;
      this.#avoid(member, error);
      throw error;
    }
  }

  #avoid(member: Member, { message }: Error): void {
    if (member.awayUntil <= Date.now()) this.#log(`The Docker host ${member.name} gets no runs for now: ${message}`);
    member.awayUntil = Date.now() + AWAY;
  }
}

/** How many more containers with these limits fit; negative if a host has more than that already. */
function freeCapacity(
  { cpus, memory }: HostCapacity,
  usedLimits: Iterable<ContainerLimits>,
  limits: ContainerLimits,
): number {
  let [freeCpus, freeMemory] = [cpus, memory];
  for (const one of usedLimits) {
    freeCpus -= one.cpus;
    freeMemory -= one.memory * MB;
  }
  return Math.min(freeCpus / limits.cpus, freeMemory / (limits.memory * MB));
}
