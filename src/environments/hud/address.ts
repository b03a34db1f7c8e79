import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';

/** Of `hud serve`. */
const DEFAULT_PORT = 8765;

export interface ControlAddress {
  readonly hostname: string;
  readonly port: number;
  /** A line that comes first on each connection to a server that Taskwright started; null for other servers. */
  readonly secret: string | null;
}

/** The parts of an address such as `tcp://127.0.0.1:8765` or `tcp://:SECRET@127.0.0.1:8765`. Throws `EnvironmentError`. */
export function partsOf(address: string): ControlAddress {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.protocol !== 'tcp:' || url.hostname === '') {
    throw new EnvironmentError(
      'start_failed',
      `“${withoutCredentials(address)}” is not the address of a HUD environment, such as tcp://127.0.0.1:${DEFAULT_PORT}.`,
    );
  }
  return {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    secret: url.password === '' ? null : url.password,
  };
}
