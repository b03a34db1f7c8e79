import type { Json, Task } from '../tasks/task.ts';

/** An address of this machine's own loopback, with or without a scheme; without one it needs a port. */
const OWN_SITE =
  /(?:\b(https?|wss?):\/\/(?:[^\s/?#@"'<>]*@)?|(?<![\w.:@/-]))((?:[\w-]+\.)*localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::(\d{1,5}))?(?![\w.:-])/gi;
/** The origin of a task's own pages, which are served without any port. */
const OWN_PAGES = /(?:^|\.)task\.localhost$/i;

/** The ports of this machine's loopback that a task names anywhere in its texts, in ascending order. */
export function portsOfOwnSites(task: Task): number[] {
  const { file: _file, ...told } = task;
  const ports = new Set<number>();
  for (const text of textsIn(told as unknown as Json)) {
    for (const [, scheme, host = '', written] of text.matchAll(OWN_SITE)) {
      if (OWN_PAGES.test(host) || (scheme === undefined && written === undefined)) continue;
      const port = written === undefined ? usualPort(scheme) : Number(written);
      if (port >= 1 && port <= 65_535) ports.add(port);
    }
  }
  return [...ports].sort((a, b) => a - b);
}

function usualPort(scheme: string | undefined): number {
  return /^(?:https|wss)$/i.test(scheme ?? '') ? 443 : 80;
}

function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* textsIn(inner);
  }
}
