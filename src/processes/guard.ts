import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { isGroupAlive } from './groups.ts';
import { programEnvironment } from './program-environment.ts';

/**
 * Pauses in ms after which marked processes are searched for again: one that is starting another program has no
 * environment for a moment, and is not found then.
 */
const LATER_SEARCHES: readonly number[] = [50, 100, 250];

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

/** The same on Windows, which has neither `sh` nor marked processes. */
const WINDOWS_PROGRAM = `
const { spawnSync } = require('node:child_process');
const groups = new Set();
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const [sign, group] = line.split(' ');
  if (sign === '+') groups.add(group); else groups.delete(group);
}).on('close', () => {
  for (const group of groups) spawnSync('taskkill', ['/pid', group, '/t', '/f'], { windowsHide: true, stdio: 'ignore' });
});
`;
/** How long `close` waits at most for a container engine, in ms. The search goes on after it. */
const ENGINE_LIMIT = 10_000;

/** The command line of a container engine, such as `docker`. */
export interface ContainerEngine {
  readonly command: string;
  /** Its variables in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** Variables that mark all processes that are guarded, whatever their process group, and the label of containers. */
export type MarkName = 'TASKWRIGHT_WORKSPACE' | 'TASKWRIGHT_AGENT';

/**
 * A program next to this process that ends processes when `close` is called, and when this process ends for any reason.
 * Each is started in a process group of its own (`detached`), so that it can be ended with its children.
 */
export class Guard {
  /** The variable to set for each process. */
  readonly mark: Readonly<Record<string, string>>;
  /** `mark` as `NAME=value`, and the label to give each container of `engine`. */
  readonly label: string;
  /** Groups that may have running processes. */
  readonly #groups = new Set<number>();
  readonly #child: ChildProcess;
  readonly #exit: Promise<void>;
  readonly #hasEngine: boolean;

  /** `engine`: removes the containers that have `label`, whoever started them. */
  constructor(markName: MarkName, engine?: ContainerEngine) {
    const name = randomUUID();
    this.mark = { [markName]: name };
    this.label = `${markName}=${name}`;
    const [program, args] =
      process.platform === 'win32'
        ? [process.execPath, ['-e', WINDOWS_PROGRAM]]
        : ['sh', ['-c', PROGRAM, 'sh', this.label, engine?.command ?? '']];
    this.#child = spawn(program, args, {
      env: { ...programEnvironment(), ...engine?.env },
      // Not in the group of this process, which may be killed, and out of reach of Ctrl+C in a terminal.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    this.#hasEngine = engine !== undefined;
    this.#exit = new Promise((resolve) => {
      this.#child.stdout?.once('close', () => resolve()).resume();
      // Without a shell, commands fail too, and report that.
      this.#child.once('error', () => resolve());
    });
    this.#input.on('error', () => {});
    this.#child.unref();
    for (const stream of this.#pipes) stream.unref();
  }

  /** Adds the leader of a process group. */
  add(group: number): void {
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
    await Promise.race([this.#exit, limit]);
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
