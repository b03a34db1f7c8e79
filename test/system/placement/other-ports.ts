import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import type { Method, Params } from '../../../src/server/protocol.ts';

/**
 * A server that stands on this machine as if on another: what is port N there is port `ports[N]` here, so that both
 * ends of a tunnel can listen.
 */
export function elsewhere(server: EnvironmentServer, ports: Readonly<Record<number, number>>): EnvironmentServer {
  const back = new Map(Object.entries(ports).map(([there, here]) => [here, Number(there)]));
  return {
    whenEnded: server.whenEnded,
    dispose: () => server.dispose(),
    reach: (port) => server.reach(port),
    onEvent: (listener) =>
      server.onEvent((event) =>
        listener(event.event === 'tunnel.connected' ? { ...event, port: ports[event.port] ?? event.port } : event),
      ),
    request: <M extends Method>(method: M, params: Params<M>, signal?: AbortSignal) => {
      if (method !== 'tunnel.open') return server.request(method, params, signal);
      const asked = params as Params<'tunnel.open'>;
      const there = { ...asked, ports: asked.ports.map((port) => back.get(port) ?? port) };
      return server.request(method, there as Params<M>, signal);
    },
  };
}
