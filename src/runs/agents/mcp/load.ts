/** MCP servers are a separate bundle that is loaded when the first one is needed. */
export function loadMcp(): Promise<typeof import('./server/main.ts')> {
  return import('./server/main.ts');
}
