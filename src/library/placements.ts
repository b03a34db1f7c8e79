import { join } from 'node:path';
import { loadDocker } from '../placement/docker/load.ts';
import { localPlacement } from '../placement/local.ts';
import { Placements } from '../placement/placements.ts';

/** The folder that contains `dist`, `docker`, and `node_modules`. */
const INSTALLED = join(import.meta.dirname, '..');

/** The places of one environment or job; whoever asks for them disposes them. */
export function ownPlacements(log: (text: string) => void): Placements {
  return new Placements(async (kind) => {
    if (kind === 'local') return localPlacement({ serverProgram: join(import.meta.dirname, 'server.js'), log });
    const { dockerPlacement } = await loadDocker();
    return dockerPlacement({ installed: INSTALLED, limits: {}, warm: 0, log });
  });
}
