/** Whether a program starts a container, with `docker run` or `podman run`. */
export function startsContainer(command: string, args: readonly string[]): boolean {
  return /^(?:docker|podman)$/.test(command) && args[0] === 'run';
}
