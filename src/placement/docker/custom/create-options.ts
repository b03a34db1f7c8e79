import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { type JsonObject, listOf } from '../../../base/json.ts';
import { safeHostConfig } from '../../../environments/custom/host-config.ts';
import type { ContainerLimits } from '../../../tasks/placement-options.ts';
import { ATTACHED, limitOptions } from '../create-options.ts';
import { KIND_LABEL, OWNER_LABEL } from '../owner.ts';

/**
 * The first program of a container of a user-provided image. It starts the program of the image and ends when standard
 * input closes, as happens when its owner ends. The image has Python, as every controller needs it. A program that serves
 * is all there is in its container, so the container ends with it; a controller can be called after it.
 */
const KEEPER = `
import os, subprocess, sys, threading
serves, own = sys.argv[1] == 'serves', sys.argv[2:]
def follow(process):
    code = process.wait()
    print("The image's own program has ended, exit code", code, file=sys.stderr, flush=True)
    if serves:
        os._exit(code if code >= 0 else 128 - code)
if own:
    silent, _ = os.pipe()
    process = subprocess.Popen(own, stdin=silent)
    threading.Thread(target=follow, args=(process,), daemon=True).start()
while os.read(0, 65536):
    pass
`;

/** Entry point and command of an image. */
export interface ImageStart {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/**
 * Options for creating a container of a user-provided image: the supported part of `host_config`, limits, no way to
 * gain privileges, no ports but `publish`, and automatic removal. The user is the one of the image.
 */
export function customCreateOptions(options: {
  readonly image: string;
  readonly start: ImageStart;
  readonly hostConfig: JsonObject;
  readonly limits: ContainerLimits;
  readonly owner: string;
  /** A port to publish on the loopback interface of this machine, under any number. */
  readonly publish?: number;
  readonly variables?: Readonly<Record<string, string>>;
}): Docker.ContainerCreateOptions {
  const { image, start, hostConfig, limits, owner, publish, variables = {} } = options;
  const safeConfig = safeHostConfig(hostConfig);
  return {
    name: `taskwright-${randomBytes(6).toString('hex')}`,
    Image: image,
    Entrypoint: [
      'python3',
      '-c',
      KEEPER,
      publish === undefined ? 'is-called' : 'serves',
      ...start.entrypoint,
      ...start.command,
    ],
    Cmd: [],
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    Labels: { [OWNER_LABEL]: owner, [KIND_LABEL]: 'custom' },
    ...ATTACHED,
    ...(publish === undefined ? {} : { ExposedPorts: { [`${publish}/tcp`]: {} } }),
    HostConfig: {
      ...limitOptions(limits),
      ...safeConfig,
      ...(publish === undefined
        ? {}
        : { PortBindings: { [`${publish}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: '' }] } }),
      ...('Memory' in safeConfig && !('MemorySwap' in safeConfig) ? { MemorySwap: Number(safeConfig['Memory']) } : {}),
      CapDrop: ['NET_RAW', 'MKNOD', 'AUDIT_WRITE', 'SETFCAP', ...listOf(safeConfig['CapDrop']).map(String)],
      SecurityOpt: ['no-new-privileges'],
      AutoRemove: true,
      Init: true,
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
