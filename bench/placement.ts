import { join } from 'node:path';
import { localPlacement } from '../src/placement/local.ts';
import type { Placement } from '../src/placement/placement.ts';

/** Our own environment server from `dist/`, as the extension and the command line start it. */
export function benchPlacement(): Placement & AsyncDisposable {
  const placement = localPlacement({
    serverProgram: join(import.meta.dirname, '..', 'dist', 'server.js'),
    log: (text) => process.stderr.write(`${text}\n`),
  });
  return Object.assign(placement, { [Symbol.asyncDispose]: () => placement.dispose() });
}
