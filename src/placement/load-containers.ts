/** The Docker client is in a separate file that is loaded when it is first needed. */
export function loadDocker(): Promise<typeof import('./containers.ts')> {
  return import('./containers.ts');
}
