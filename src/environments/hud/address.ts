import { EnvironmentError } from '../environment.ts';

/** Of `hud serve`. */
const DEFAULT_PORT = 8765;

export interface ControlAddress {
  readonly hostname: string;
  readonly port: number;
}

/** Host and port of an address such as `tcp://127.0.0.1:8765`. Throws `EnvironmentError`. */
export function partsOf(address: string): ControlAddress {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.protocol !== 'tcp:' || url.hostname === '') {
    throw new EnvironmentError(
      'start_failed',
      `“${address}” is not the address of a HUD environment, such as tcp://127.0.0.1:${DEFAULT_PORT}.`,
    );
  }
  return {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
  };
}
