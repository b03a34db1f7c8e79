/** The Docker client is a separate bundle that is loaded when it is first needed. */
export function loadDocker(): Promise<typeof import('./main.ts')> {
  return import('./main.ts');
}
