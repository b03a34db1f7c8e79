/** MCP servers are in a separate file that is loaded when the first one is needed. */
export function loadMcp(): Promise<typeof import('./server/main.ts')> {
  return import('./server/main.ts');
}
