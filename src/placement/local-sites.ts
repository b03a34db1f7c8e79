import type { Json } from '../base/json.ts';
import type { Task } from '../tasks/task.ts';

/** A loopback address of this machine. Without a scheme it needs a port. */
const OWN_SITE =
  /(?:\b(https?|wss?):\/\/(?:[^\s/?#@"'<>]*@)?|(?<![\w.:@/-]))((?:[\w-]+\.)*localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::(\d{1,5}))?(?![\w.:-])/gi;
/** The origin of the pages of a task, which has no port. */
const OWN_PAGES = /(?:^|\.)task\.localhost$/i;

/** The local ports that a task names anywhere in its text, in ascending order, except `refused` ones. */
export function portsOfLocalSites(task: Task, refused: readonly number[] = []): number[] {
  const { file: _file, ...taskValues } = task;
  const ports = new Set<number>();
  for (const text of textsIn(taskValues as unknown as Json)) {
    for (const [, scheme, host = '', portText] of text.matchAll(OWN_SITE)) {
      if (OWN_PAGES.test(host) || (scheme === undefined && portText === undefined)) continue;
      const port = portText === undefined ? defaultPort(scheme) : Number(portText);
      if (port >= 1 && port <= 65_535) ports.add(port);
    }
  }
  return [...ports].filter((port) => !refused.includes(port)).sort((a, b) => a - b);
}

function defaultPort(scheme: string | undefined): number {
  return /^(?:https|wss)$/i.test(scheme ?? '') ? 443 : 80;
}

function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) yield* textsIn(child);
  }
}
