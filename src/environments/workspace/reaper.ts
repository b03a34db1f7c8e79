import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** The variable by which whatever a task's commands have started is found, whichever group it went to. */
const MARK = 'TASKWRIGHT_WORKSPACE';

/**
 * Reads `+GROUP` and `-GROUP`; when its input ends, however that comes, it kills the groups that are left and, where
 * there is a /proc, all that bear the mark. Several times: what is about to fork is not there yet.
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
for _ in 1 2 3 4 5 6 7 8; do
  found=$(grep -lzsxF -e "$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
  for path in $found; do path=\${path#/proc/}; kill -s KILL "\${path%/environ}"; done
done
`;

/**
 * A shell beside a session's process that ends what the task's commands have started, in good order and when the session
 * was killed: commands run in process groups of their own, so that each can be ended with all of its own.
 */
export class Reaper {
  /** To be set for each command. */
  readonly mark: Readonly<Record<string, string>>;
  /** Groups of which something may be left. */
  readonly #groups = new Set<number>();
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;

  /** `name`: told apart from every other on this machine. */
  constructor(name: string) {
    this.mark = { [MARK]: name };
    this.#child = spawn('sh', ['-c', PROGRAM, 'sh', `${MARK}=${name}`], {
      // Not in the session's group, which is killed.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      // Without it there is no shell to run a command either, which says so.
      this.#child.once('error', () => resolve());
    });
    this.#input.on('error', () => {});
    this.#child.unref();
    (this.#input as unknown as { unref(): void }).unref();
  }

  /** A process group is to be ended with the session. */
  guard(group: number): void {
    this.forgetEnded();
    this.#groups.add(group);
    this.#input.write(`+ ${group}\n`);
  }

  /** The number of a group of which nothing is left may become another's. */
  forgetEnded(): void {
    for (const group of this.#groups) {
      if (isAlive(group)) continue;
      this.#groups.delete(group);
      this.#input.write(`- ${group}\n`);
    }
  }

  /** Ends all that is left. */
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
    // Nothing is left of it, or only what is not ours to end.
    return false;
  }
}
