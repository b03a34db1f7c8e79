/** Environment for our own programs. The executable of VS Code for desktops runs as Node only with this variable. */
export function programEnvironment(): NodeJS.ProcessEnv {
  return process.versions['electron'] === undefined ? process.env : { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
}

/** Environment for the user's programs. An Electron program among them must not run as Node. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _, ...rest } = process.env;
  return rest;
}
