/** A script that makes `taskwright` a command in VS Code's terminals. */
export interface Launcher {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

/** The scripts for both kinds of shells. They use VS Code's own Node, so that nothing needs to be installed. */
export function launchers(node: string, program: string): readonly Launcher[] {
  return [
    {
      name: 'taskwright',
      mode: 0o755,
      text: `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec ${quoteSh(node)} ${quoteSh(program)} "$@"\n`,
    },
    {
      name: 'taskwright.cmd',
      mode: 0o644,
      text: `@echo off\r\nsetlocal\r\nset ELECTRON_RUN_AS_NODE=1\r\n"${quoteCmd(node)}" "${quoteCmd(program)}" %*\r\n`,
    },
  ];
}

function quoteSh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Inside double quotes a batch file interprets only `%`, and a path contains no quotes. */
function quoteCmd(text: string): string {
  return text.replaceAll('%', '%%');
}
