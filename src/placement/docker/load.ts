/** The Docker client is in a separate file that is loaded when it is first needed. */
export function loadDocker(): Promise<typeof import('./main.ts')> {
  return import('./main.ts');
}
