import { dirname } from 'node:path';
import type { ServerSource } from '../environments/kind.ts';
import { kindOfType } from '../environments/kinds.ts';
import type { Task } from '../tasks/task.ts';
import type { Lease, ReportedError } from './placement.ts';
import type { ServerUse } from './shared-servers.ts';

export interface TaskServers {
  /** The task needs none. */
  readonly isEmpty: boolean;
  readonly lease: Pick<Lease, 'address' | 'verifier' | 'explain'>;
  release(): void;
}

/**
 * Takes the servers that a task needs: that of its environment, and that of its verifier. Rejects as `take` does, which
 * resolves with null for what the placement does not start.
 */
export async function takeServers(
  task: Task,
  take: (source: ServerSource, part: 'address' | 'verifier') => Promise<ServerUse | null>,
): Promise<TaskServers> {
  const kind = kindOfType(task.env);
  const folder = dirname(task.file);
  const sources = {
    address: kind?.server?.(task.env, folder) ?? null,
    verifier: kind?.verifier?.(task.env, folder) ?? null,
  };
  const uses: ServerUse[] = [];
  const addresses: { address?: string; verifier?: string } = {};
  const release = (): void => {
    for (const use of uses) use.release();
  };
  try {
    for (const part of ['address', 'verifier'] as const) {
      const use = sources[part] === null ? null : await take(sources[part], part);
      if (use === null) continue;
      uses.push(use);
      addresses[part] = use.server.address;
    }
  } catch (error) {
    release();
    throw error;
  }
  const explain = async (error: ReportedError): Promise<string | null> => {
    for (const { server } of uses) {
      const explanation = (await server.explain?.(error)) ?? null;
      if (explanation !== null) return explanation;
    }
    return null;
  };
  return { isEmpty: uses.length === 0, lease: { ...addresses, ...(uses.length === 0 ? {} : { explain }) }, release };
}
