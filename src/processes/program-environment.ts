/** Environment for our own programs. The executable of VS Code for desktops runs as Node only with this variable. */
export function programEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return process.versions['electron'] === undefined ? env : { ...env, ELECTRON_RUN_AS_NODE: '1' };
}
