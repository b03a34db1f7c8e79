/** Everything that drives Docker stands in a bundle of its own, loaded when it is first needed. */
export function loadDocker(): Promise<typeof import('./main.ts')> {
  return import('./main.ts');
}
