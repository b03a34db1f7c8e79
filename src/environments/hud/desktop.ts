import { DesktopEnvironment } from '../desktop/environment.ts';
import { RfbClient } from '../desktop/vnc/rfb.ts';
import { createVncDesktop } from '../desktop/vnc/vnc-desktop.ts';
import type { Capability, Surface } from './capability.ts';
import { openStream } from './tunnel.ts';

/** The desktop of an environment, over VNC. Rejects with the reason if it cannot be reached. */
export async function openDesktop(
  address: string,
  { name, params }: Capability,
  log: (text: string) => void,
): Promise<Surface> {
  const { password } = params;
  const stream = await openStream(address, name);
  const client = await RfbClient.open(stream, typeof password === 'string' ? password : null);
  const desktop = createVncDesktop(client);
  const environment = new DesktopEnvironment({ browser: () => Promise.reject(new Error('no browser')), log });
  await environment.borrow(desktop);
  return { offer: 'desktop', environment, broken: desktop.broken, close: () => environment.close() };
}
