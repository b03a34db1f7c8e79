import type { Json, JsonObject } from '../../base/json.ts';

/** Keys of Docker's HostConfig that a task may set: resources of the container, and further restrictions. */
export const HOST_CONFIG_KEYS: readonly string[] = [
  'AutoRemove',
  'CapDrop',
  'CpuPeriod',
  'CpuQuota',
  'CpuShares',
  'CpusetCpus',
  'Dns',
  'DnsOptions',
  'DnsSearch',
  'ExtraHosts',
  'Init',
  'Memory',
  'MemoryReservation',
  'MemorySwap',
  'NanoCpus',
  'NetworkMode',
  'PidsLimit',
  'PublishAllPorts',
  'ReadonlyRootfs',
  'SecurityOpt',
  'ShmSize',
  'Tmpfs',
  'Ulimits',
];

/**
 * Keys that Taskwright sets: containers are always removed with their run, and are reached through Docker, not through
 * ports.
 */
const RESERVED = ['AutoRemove', 'Init', 'PublishAllPorts'];

/** Why other keys are rejected: the end of a sentence about the key. */
const REFUSED: Readonly<Record<string, string>> = {
  Privileged: 'gives the container rights over the whole machine',
  Binds: 'mounts folders of the machine',
  Mounts: 'mounts folders of the machine',
  VolumesFrom: "mounts another container's folders",
  PidMode: "shares the machine's processes",
  IpcMode: "shares the machine's memory",
  UTSMode: "shares the machine's name",
  UsernsMode: "shares the machine's users",
  CgroupnsMode: "shares the machine's control groups",
  CgroupParent: "shares the machine's control groups",
  CapAdd: 'gives the container rights over the machine',
  Devices: 'gives the container devices of the machine',
  DeviceRequests: 'gives the container devices of the machine',
  DeviceCgroupRules: 'gives the container devices of the machine',
  PortBindings: 'opens ports of the machine; a controller needs none, it is called through Docker',
};

/** A key of a HostConfig that is rejected, and why. */
export interface RefusedKey {
  readonly key: string;
  readonly message: string;
  /** Whether the container starts without it. Otherwise, it does not start. */
  readonly leftOut: boolean;
}

/** The rejected keys of a HostConfig. Keys that disable a feature or have no effect are allowed. */
export function refusedKeys(config: JsonObject): RefusedKey[] {
  return Object.entries(config).flatMap(([key, value]): RefusedKey[] => {
    if (isNothing(value)) return [];
    const why = reasonAgainst(key, value);
    if (why === null && HOST_CONFIG_KEYS.includes(key)) return [];
    const message =
      why === null
        ? `“${key}” is none of the keys of "host_config" that are taken: it is left out`
        : `Taskwright refuses "${key}" in "host_config": it ${why}`;
    return [{ key, message, leftOut: why === null }];
  });
}

/** The part of a HostConfig that is passed to Docker. */
export function safeHostConfig(config: JsonObject): JsonObject {
  const refusals = new Set(refusedKeys(config).map(({ key }) => key));
  return Object.fromEntries(
    Object.entries(config).filter(([key, value]) => !isNothing(value) && !refusals.has(key) && !RESERVED.includes(key)),
  );
}

function reasonAgainst(key: string, value: Json): string | null {
  if (key === 'NetworkMode') {
    return ['none', 'bridge', 'default'].includes(String(value))
      ? null
      : 'joins another network: "none" and "bridge" are taken';
  }
  if (key === 'SecurityOpt') {
    const all = Array.isArray(value) ? value : [value];
    return all.every((option) => /^no-new-privileges(?:[:=]true)?$/.test(String(option)))
      ? null
      : 'weakens the isolation of the container; "no-new-privileges" is always set';
  }
  return Object.hasOwn(REFUSED, key) ? (REFUSED[key] ?? null) : null;
}

function isNothing(value: Json): boolean {
  if (value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
