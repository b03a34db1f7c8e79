import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { LATER_SEARCHES } from '../descendants.ts';
import { isGroupAlive } from './process-group.ts';

/** The variable that marks all processes of a task's commands, whatever their process group, and the label of containers. */
const MARK = 'TASKWRIGHT_WORKSPACE';

/**
 * Reads `+GROUP` and `-GROUP`. When its input ends for any reason, it kills the remaining groups and, if /proc exists,
 * all marked processes, until it finds none: they may be about to fork. With the name of a container engine, it removes
 * the marked containers, too, until none is listed: one that `docker run --rm` is removing cannot be removed again. Then it closes its output, for which its owner waits, and searches again later: an engine may
 * still be creating a container.
 */
const PROGRAM = `
mark=$1 engine=$2
groups=
while read -r sign group; do
  case $sign in
    +) groups="$groups $group" ;;
    -) left=; for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done; groups=$left ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
search() {
  [ -z "$engine" ] || for pause in 0 0.1 0.2 0.5 1 2; do
    found=$("$engine" ps --all --quiet --filter "label=$mark")
    [ -n "$found" ] || break
    "$engine" rm --force --volumes $found >/dev/null
    sleep "$pause"
  done
  [ -d /proc/self ] || return
  for _ in 1 2 3 4 5 6 7 8; do
    found=$(grep -lzsxF -e "$mark" /proc/[0-9]*/environ)
    [ -n "$found" ] || return 0
    for path in $found; do path=\${path#/proc/}; kill -s KILL "\${path%/environ}"; done
  done
}
search
exec >&-
for pause in ${LATER_SEARCHES.map((ms) => ms / 1000).join(' ')}; do sleep "$pause"; search; done
[ -z "$engine" ] || for pause in 1 5; do sleep "$pause"; search; done
`;
/** How long `close` waits at most for a container engine, in ms. The search goes on after it. */
const ENGINE_LIMIT = 10_000;

/** The command line of a container engine, such as `docker`. */
export interface ContainerEngine {
  readonly command: string;
  /** Its variables in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A shell next to a session's process that ends the processes of the task's commands, at the end of the task and if the
 * session is killed. Each command has its own process group, so that it can be ended with its children.
 */
export class Reaper {
  /** The variable to set for each command. */
  readonly mark: Readonly<Record<string, string>>;
  /** The label to give each container of `engine`. */
  readonly label: string;
  /** Groups that may have running processes. */
  readonly #groups = new Set<number>();
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;
  readonly #hasEngine: boolean;

  /** `name`: unique on this machine. `engine`: removes the containers that have `label`, whoever started them. */
  constructor(name: string, engine?: ContainerEngine) {
    this.mark = { [MARK]: name };
    this.label = `${MARK}=${name}`;
    this.#child = spawn('sh', ['-c', PROGRAM, 'sh', this.label, engine?.command ?? ''], {
      env: { ...process.env, ...engine?.env },
      // Not in the session's group, which is killed.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#hasEngine = engine !== undefined;
    this.#gone = new Promise((resolve) => {
      this.#child.stdout?.once('close', () => resolve()).resume();
      // Without a shell, commands fail too, and report it.
      this.#child.once('error', () => resolve());
    });
    this.#input.on('error', () => {});
    this.#child.unref();
    for (const stream of this.#pipes) stream.unref();
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
      if (isGroupAlive(group)) continue;
      this.#groups.delete(group);
      this.#input.write(`- ${group}\n`);
    }
  }

  /** Ends all remaining processes. */
  async close(): Promise<void> {
    for (const stream of this.#pipes) stream.ref();
    this.#input.end();
    const limit = new Promise<void>((resolve) => {
      if (this.#hasEngine) setTimeout(resolve, ENGINE_LIMIT).unref();
    });
    await Promise.race([this.#gone, limit]);
    for (const stream of this.#pipes) stream.unref();
  }

  get #input(): Writable {
    return this.#child.stdin as Writable;
  }

  /** Its standard streams are sockets here. */
  get #pipes(): readonly Socket[] {
    return [this.#child.stdin, this.#child.stdout] as unknown as Socket[];
  }
}
