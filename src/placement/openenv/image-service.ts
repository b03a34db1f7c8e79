import type { ImageService } from '../image-service.ts';
import { untilHealthy } from './health.ts';

/** How images serve OpenEnv. */
export const OPENENV_IMAGE: ImageService = {
  what: 'OpenEnv image',
  port: 8000,
  scheme: 'http',
  variables: {},
  async ready({ address, exit, signal }) {
    await untilHealthy(address, exit, signal);
    return {};
  },
};
