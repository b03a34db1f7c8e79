import { findProgram } from '../../processes/programs.ts';

/** The programs of a desktop, with their Debian packages. */
export const DESKTOP_PROGRAMS = [
  { program: 'Xtigervnc', package: 'tigervnc-standalone-server', is: 'the X server' },
  { program: 'jwm', package: 'jwm', is: 'the window manager' },
  { program: 'xterm', package: 'xterm', is: 'the terminal' },
  { program: 'l3afpad', package: 'l3afpad', is: 'the text editor' },
  { program: 'pcmanfm', package: 'pcmanfm', is: 'the file manager' },
  { program: 'chromium', package: 'chromium', is: 'the browser' },
] as const;
export type DesktopProgram = (typeof DESKTOP_PROGRAMS)[number]['program'];

/** What to do if programs are missing. */
export const GET_A_DESKTOP = [
  `Debian: apt-get install ${DESKTOP_PROGRAMS.map((one) => one.package).join(' ')} fonts-dejavu-core`,
  'or run desktop tasks with --placement docker, whose image has them.',
];

/** The programs that are missing on this machine; all of them on other systems than Linux. */
export async function missingPrograms(env: NodeJS.ProcessEnv = process.env): Promise<readonly DesktopProgram[]> {
  if (process.platform !== 'linux') return DESKTOP_PROGRAMS.map(({ program }) => program);
  const paths = await Promise.all(DESKTOP_PROGRAMS.map(({ program }) => findProgram(program, env['PATH'] ?? '')));
  return DESKTOP_PROGRAMS.filter((_, index) => paths[index] === null).map(({ program }) => program);
}

/** Why no desktop can be started here. */
export function withoutPrograms(missing: readonly DesktopProgram[]): string {
  if (process.platform !== 'linux') {
    return 'A desktop runs on Linux or in Docker: run the task with --placement docker.';
  }
  const programs = DESKTOP_PROGRAMS.filter(({ program }) => missing.includes(program));
  const list = programs.map(({ program, is }) => `${program} (${is})`).join(', ');
  const packages = programs.map((one) => one.package).join(' ');
  return `A desktop needs ${list}, which this machine does not have. Install them (Debian: apt-get install ${packages}), or run the task with --placement docker.`;
}
