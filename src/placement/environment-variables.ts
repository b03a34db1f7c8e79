/**
 * Environment variables that a server inherits: what it needs to find programs, files, the display, and the network.
 * Nothing that changes how Node starts (`NODE_OPTIONS` of a debugger) and nothing that is meant for processes of the
 * editor.
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
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  'USERNAME',
  'USERPROFILE',
  'WAYLAND_DISPLAY',
  'WINDIR',
  'XAUTHORITY',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
]);
const INHERITED_PREFIXES = ['LC_', 'TASKWRIGHT_', 'XDG_'];

/** The environment variables of a server. */
export function serverEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      const upper = name.toUpperCase();
      return INHERITED.has(upper) || INHERITED_PREFIXES.some((prefix) => upper.startsWith(prefix));
    }),
  );
}
