import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** `prctl` as a system call (syscalls(2)), by the architecture of this Node. */
const PRCTL: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };
/** prctl(2). The setting is preserved across `execve`. */
const PR_SET_CHILD_SUBREAPER = 36;

/** Programs that can make a system call and then execute another program, with their command lines. */
const CALLERS: readonly (readonly [string, (call: number) => readonly string[]])[] = [
  ['perl', (call) => ['-e', `syscall(${call}, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0); exec { $ARGV[0] } @ARGV`]],
  [
    'python3',
    (call) => [
      ...['-I', '-S', '-c'],
      `import ctypes, os, sys; ctypes.CDLL(None).syscall(${call}, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])`,
    ],
  ],
];

let caller: readonly string[] | null | undefined;

/**
 * The command line that runs a program as a child subreaper, which inherits orphaned descendants, whatever their
 * session, process group, or environment. This requires Linux with Perl or Python; otherwise, it is the command line of
 * the program alone.
 */
export function asSubreaper(program: string, args: readonly string[]): { program: string; args: readonly string[] } {
  caller ??= findCaller();
  const [command, ...before] = caller ?? [];
  return command === undefined ? { program, args } : { program: command, args: [...before, program, ...args] };
}

function findCaller(): readonly string[] | null {
  const call = process.platform === 'linux' ? PRCTL[process.arch] : undefined;
  if (call === undefined) return null;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  for (const [name, args] of CALLERS) {
    const path = folders.map((folder) => join(folder, name)).find(isProgram);
    if (path !== undefined) return [path, ...args(call)];
  }
  return null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
