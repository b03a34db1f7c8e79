/** The port in a line that a server of HUD prints when it is ready; null if it is another line. */
export function announcedPort(line: string): number | null {
  const [, port] = /^HUD_SERVE_PORT=(\d+)\s*$/.exec(line) ?? [];
  return port === undefined ? null : Number(port);
}
