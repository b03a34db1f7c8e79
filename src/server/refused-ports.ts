/** The ports of this machine on which our own programs listen, and which no page reaches, separated by commas. */
const VARIABLE = 'TASKWRIGHT_REFUSED_PORTS';

/** The environment variable by which an environment server and its sessions know these ports. */
export function refusing(ports: readonly number[]): Readonly<Record<string, string>> {
  return ports.length === 0 ? {} : { [VARIABLE]: ports.join(',') };
}

/** The ports that an environment variable names. */
export function refusedPorts(env: NodeJS.ProcessEnv): number[] {
  return (env[VARIABLE] ?? '')
    .split(',')
    .map(Number)
    .filter((port) => Number.isInteger(port) && port > 0);
}
