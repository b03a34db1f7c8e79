/** The HTTP server is in a separate file, which is loaded only when tasks are served. */
export function loadHttp(): Promise<typeof import('./http/main.ts')> {
  return import('./http/main.ts');
}
