/** What makes `taskwright` a command of the terminals inside VS Code: two small programs for the two kinds of shells. */
export interface Launcher {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

/** Both start the command line with the editor's own Node, so that nothing else has to be installed. */
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

/** Inside double quotes only `%` still means something to a batch file, and a path holds no quotes. */
function quoteCmd(text: string): string {
  return text.replaceAll('%', '%%');
}
