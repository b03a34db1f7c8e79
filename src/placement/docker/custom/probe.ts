import { patient } from '../../../base/patience.ts';
import type { ControllerContainer } from './container.ts';
import { exec } from './exec.ts';

/** Time limit for a server in the container to answer, in ms. */
const LIMIT = patient(10_000);
const PAUSE = 500;

const FIND = 'import importlib.util, sys; sys.exit(0 if importlib.util.find_spec("hud_controller") else 3)';

/**
 * Tries `/health` of OpenEnv (`{"status": "healthy"}`) and `hello` of HUD 0.6 on each port, and prints what answered.
 */
const PROBE = `
import json, socket, sys, urllib.request
for port in map(int, sys.argv[1:]):
    try:
        with urllib.request.urlopen(f'http://127.0.0.1:{port}/health', timeout=1) as answer:
            if 'status' in json.load(answer):
                print('openenv', port)
                break
    except Exception:
        pass
    try:
        with socket.create_connection(('127.0.0.1', port), timeout=1) as server:
            server.settimeout(1)
            server.sendall(b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{}}\\n')
            if 'session_id' in json.loads(server.makefile().readline())['result']:
                print('hud', port)
                break
    except Exception:
        pass
`;

/** Default ports of OpenEnv (8000) and HUD 0.6 (8765). */
const DEFAULT_PORTS = ['8000', '8765'];

/**
 * The reason why a container has no controller to call, including what it serves instead, if that is known. Null if it
 * has one.
 */
export async function whyNoController(
  container: ControllerContainer,
  image: string,
  pythonPath: string | null,
): Promise<string | null> {
  const env = pythonPath === null ? [] : [`PYTHONPATH=${pythonPath}`];
  const { exitCode } = await exec(container.container, ['python3', '-c', FIND], { env });
  if (exitCode === 0) return null;
  const { Config } = await container.container.inspect();
  const exposedPorts = Object.keys(Config.ExposedPorts ?? {}).flatMap((port) => /^(\d+)\/tcp$/.exec(port)?.[1] ?? []);
  const ports = [...new Set([...exposedPorts, ...DEFAULT_PORTS])];
  const none = `The image ${image} lacks the Python package hud_controller, which HUD 0.2 uses to call an environment`;
  for (const late = performance.now() + LIMIT; performance.now() < late; ) {
    const { output } = await exec(container.container, ['python3', '-c', PROBE, ...ports]);
    const [, kind, port] = /^(openenv|hud) (\d+)/.exec(output) ?? [];
    if (kind === 'openenv')
      return `${none}. It serves OpenEnv's routes on port ${port}: name it as {"type": "openenv", "image": …} in "gym".`;
    if (kind === 'hud')
      return `${none}. It serves the control channel of HUD 0.6 on port ${port}, which this version does not support yet.`;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return `${none}, and no known server responds on its ports (${ports.join(', ')}).`;
}
