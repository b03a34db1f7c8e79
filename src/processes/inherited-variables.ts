/**
 * Environment variables that agents, commands, functions, and servers inherit: what they need to find programs, files, the
 * display, and the network. Names only, so that keys and tokens of the user, and ours, stay here. Nothing that changes how Node
 * starts (`NODE_OPTIONS` of a debugger) and nothing that is meant for processes of the editor.
 */
const INHERITED = new Set([
  'APPDATA',
  'BROWSERGYM_TASK_NAME',
  'COMSPEC',
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'HOME',
  'HOMEDRIVE',
  'HOMEPATH',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_COLLATE',
  'LC_CTYPE',
  'LC_MESSAGES',
  'LC_MONETARY',
  'LC_NUMERIC',
  'LC_TIME',
  'LD_LIBRARY_PATH',
  'LOCALAPPDATA',
  'LOGNAME',
  'NODE_EXTRA_CA_CERTS',
  'NUMBER_OF_PROCESSORS',
  'OPENENV_TASK_MODULE',
  'OS',
  'PATH',
  'PATHEXT',
  'PLAYWRIGHT_BROWSERS_PATH',
  'PLAYWRIGHT_NODEJS_PATH',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SHELL',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TASKWRIGHT_BROWSER',
  'TASKWRIGHT_COMPILED',
  'TASKWRIGHT_MINIWOB',
  'TASKWRIGHT_PATIENCE',
  // Identifies the processes of a test.
  'TASKWRIGHT_TEST',
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  'USERNAME',
  'USERPROFILE',
  'WAYLAND_DISPLAY',
  'VIRTUAL_ENV',
  'WINDIR',
  'XAUTHORITY',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_DIRS',
  'XDG_CONFIG_HOME',
  'XDG_CURRENT_DESKTOP',
  'XDG_DATA_DIRS',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'XDG_STATE_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
]);

/** Where the programs of the user find packages and toolchains: agents, and servers of environments. */
export const TOOLCHAIN_VARIABLES: readonly string[] = [
  'CONDA_DEFAULT_ENV',
  'CONDA_PREFIX',
  'JAVA_HOME',
  'NODE_PATH',
  'PYTHONHOME',
  'PYTHONPATH',
];

/** Those of an environment that other programs inherit, by name in any case. `more`: further names, as they are written. */
export function inheritedVariables(env: NodeJS.ProcessEnv, more: readonly string[] = []): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => INHERITED.has(name.toUpperCase()) || more.includes(name)),
  );
}
