import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** The variable that marks all processes of a task's commands, whatever their process group. */
const MARK = 'TASKWRIGHT_WORKSPACE';

/**
 * Reads `+GROUP` and `-GROUP`. When its input ends for any reason, it kills the remaining groups and, if /proc exists,
 * all marked processes. It repeats this until it has found none three times, because processes may be about to fork, and one
 * that is starting another program has no environment for a moment.
 */
const PROGRAM = `
groups=
while read -r sign group; do
  case $sign in
    +) groups="$groups $group" ;;
    -) left=; for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done; groups=$left ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ -d /proc/self ] || exit 0
none=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  found=$(grep -lzsxF -e "$1" /proc/[0-9]*/environ)
  for path in $found; do path=\${path#/proc/}; kill -s KILL "\${path%/environ}"; done
  if [ -n "$found" ]; then none=0; else none=$((none + 1)); fi
  [ "$none" -lt 3 ] || exit 0
done
`;

/**
 * A shell next to a session's process that ends the processes of the task's commands, at the end of the task and if the
 * session is killed. Each command has its own process group, so that it can be ended with its children.
 */
export class Reaper {
  /** The variable to set for each command. */
  readonly mark: Readonly<Record<string, string>>;
  /** Groups that may have running processes. */
  readonly #groups = new Set<number>();
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;

  /** `name`: unique on this machine. */
  constructor(name: string) {
    this.mark = { [MARK]: name };
    this.#child = spawn('sh', ['-c', PROGRAM, 'sh', `${MARK}=${name}`], {
      // Not in the session's group, which is killed.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      // Without a shell, commands fail too, and report it.
      this.#child.once('error', () => resolve());
    });
    this.#input.on('error', () => {});
    this.#child.unref();
    (this.#input as unknown as { unref(): void }).unref();
  }

  /** Adds a process group to end with the session. */
  guard(group: number): void {
    this.forgetEnded();
    this.#groups.add(group);
    this.#input.write(`+ ${group}\n`);
  }

  /** Removes groups without processes, because their ids may be reused. */
  forgetEnded(): void {
    for (const group of this.#groups) {
      if (isAlive(group)) continue;
      this.#groups.delete(group);
      this.#input.write(`- ${group}\n`);
    }
  }

  /** Ends all remaining processes. */
  async close(): Promise<void> {
    this.#child.ref();
    this.#input.end();
    await this.#gone;
  }

  get #input(): Writable {
    return this.#child.stdin as Writable;
  }
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    // It has no processes, or only those of other users.
    return false;
  }
}
