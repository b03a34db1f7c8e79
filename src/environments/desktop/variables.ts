import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../base/defined.ts';

/** The only variables of this machine that programs of a desktop get. */
const INHERITED = [
  ...['PATH', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'TMPDIR'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE'],
];

/** The environment variables of programs of a desktop, without the display. */
export function variablesOf(home: string): Record<string, string> {
  return {
    ...defined(Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]))),
    HOME: home,
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_RUNTIME_DIR: join(home, '.run'),
    // Without it, programs search for a bus for a long time.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    NO_AT_BRIDGE: '1',
    GTK_A11Y: 'none',
  };
}

/** The wrapper `chromium` of a desktop: starts the browser with options for a desktop without a bus. */
const CHROMIUM = (sandbox: boolean): string => `#!/bin/sh
export PATH="\${PATH#*:}"
exec chromium --no-first-run --no-default-browser-check --password-store=basic --disable-background-networking \\
  --disable-component-update --disable-sync${sandbox ? '' : ' --no-sandbox --test-type'} "$@"
`;

/** The entries of the menu: label and program. */
const MENU = [
  ['Terminal', 'xterm'],
  ['Text Editor', 'l3afpad'],
  ['Files', 'pcmanfm'],
  ['Web Browser', 'chromium'],
] as const;

const WINDOW_MANAGER = `<?xml version="1.0"?>
<JWM>
  <RootMenu onroot="3">
${MENU.map(([label, program]) => `    <Program label="${label}">${program}</Program>`).join('\n')}
  </RootMenu>
  <Tray x="0" y="-1" width="0" height="28" autohide="off">
    <TrayButton label="Menu">root:1</TrayButton>
    <TaskList maxwidth="240"/>
  </Tray>
  <WindowStyle><Font>DejaVu Sans-10</Font><Width>4</Width><Height>24</Height></WindowStyle>
  <TrayStyle><Font>DejaVu Sans-10</Font></TrayStyle>
  <MenuStyle><Font>DejaVu Sans-10</Font></MenuStyle>
  <PopupStyle enabled="false"/>
  <Desktops width="1" height="1"><Background type="solid">#3a4a5c</Background></Desktops>
  <FocusModel>click</FocusModel>
  <MoveMode>opaque</MoveMode>
  <ResizeMode>opaque</ResizeMode>
  <SnapMode distance="0">none</SnapMode>
</JWM>
`;

const TERMINAL = `XTerm*utf8: 2
XTerm*faceName: DejaVu Sans Mono
XTerm*faceSize: 11
XTerm*selectToClipboard: true
XTerm*cursorBlink: false
`;

/**
 * Creates the configuration in a home folder. Returns the configuration file of the window manager, and a folder for
 * the PATH.
 */
export async function writeHomeConfiguration(
  home: string,
  settings: string,
): Promise<{ readonly windowManager: string; readonly programs: string }> {
  const programs = join(settings, 'programs');
  await Promise.all([
    mkdir(programs, { recursive: true }),
    mkdir(join(home, '.run'), { recursive: true, mode: 0o700 }),
    mkdir(join(home, '.config'), { recursive: true }),
  ]);
  const windowManager = join(settings, 'jwm.xml');
  await Promise.all([
    writeFile(windowManager, WINDOW_MANAGER),
    writeFile(join(home, '.Xdefaults'), TERMINAL),
    // As root the browser cannot use its sandbox.
    writeFile(join(programs, 'chromium'), CHROMIUM(process.getuid?.() !== 0), { mode: 0o755 }),
  ]);
  return { windowManager, programs };
}
