import { join } from 'node:path';
import { agentPorts } from '../agents/registry.ts';
import { loadDocker } from '../placement/load-containers.ts';
import { localPlacement } from '../placement/local.ts';
import { Placements } from '../placement/placements.ts';
import type { CommonOptions } from './api.ts';

/** The folder that contains `dist`, `docker`, and `node_modules`. */
const INSTALLED = join(import.meta.dirname, '..');

/**
 * The placements of one environment or job, which the caller disposes.
 * @param agents of its runs
 */
export function ownPlacements(
  agents: readonly (string | null)[],
  { hosts = [], onLog: log = () => {} }: Pick<CommonOptions, 'hosts' | 'onLog'>,
): Placements {
  return new Placements(async (kind) => {
    const refusedPorts = await agentPorts(agents);
    if (kind === 'local') {
      return localPlacement({ serverProgram: join(import.meta.dirname, 'server.js'), log, refusedPorts });
    }
    const { dockerPlacement } = await loadDocker();
    return dockerPlacement({ installation: INSTALLED, hosts, limits: {}, warm: 0, log, refusedPorts });
  });
}
