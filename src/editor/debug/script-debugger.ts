import { dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { ScriptTarget } from '../../debugger/host.ts';
import { WATCH_NAME } from '../../server/watch.ts';
import type { ChildKind } from './child-debugger.ts';

/** The type of VS Code's built-in JavaScript debugger. */
const TYPE = 'pwa-node';
const NODE_INTERNALS = '<node_internals>';

/** VS Code's built-in JavaScript debugger. `programs`: the folder of Taskwright's programs, which stepping skips. */
export function scriptDebugger(programs: string): ChildKind<ScriptTarget> {
  return {
    type: TYPE,
    name: l10n.t('The JavaScript debugger'),
    files: /\.[cm]?[jt]s$/,
    configuration: ({ port, folder, taskFile }) => ({
      ...{ address: '127.0.0.1', port, localRoot: dirname(taskFile), remoteRoot: folder },
      skipFiles: [`${NODE_INTERNALS}/**`, `${programs}/**`, '/opt/taskwright/dist/**'],
      ...{ smartStep: false, sourceMaps: false, restart: false, autoAttachChildProcesses: false },
    }),
    // The debugger starts a session for the port, and in it one for the process.
    // The watchdog must not be paused.
    isTarget: ({ parentSession, name }, parent) =>
      parentSession?.type === TYPE && parentSession.parentSession?.id === parent.id && !name.includes(WATCH_NAME),
    blocksSession: true,
    isOwnFile: (path) => path.includes(NODE_INTERNALS) || path.startsWith(programs),
  };
}
