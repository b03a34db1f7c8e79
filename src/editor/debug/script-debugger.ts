import { dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { ScriptTarget } from '../../debugger/host.ts';
import { completing, loadStoppedExpressions } from '../../debugger/stopped-expression.ts';
import { BROWSER_THREAD_NAME, WATCH_NAME } from '../../server/session-names.ts';
import type { ChildKind } from './child-debugger.ts';

/** The type of VS Code's built-in JavaScript debugger. */
const TYPE = 'pwa-node';
const NODE_INTERNALS = '<node_internals>';

/** Threads that must not be paused. */
const OWN_THREADS = [WATCH_NAME, BROWSER_THREAD_NAME];

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
    isTarget: ({ parentSession, name }, parent) =>
      parentSession?.type === TYPE &&
      parentSession.parentSession?.id === parent.id &&
      !OWN_THREADS.some((thread) => name.includes(thread)),
    blocksSession: true,
    prepare: loadStoppedExpressions,
    completing,
    isOwnFile: (path) => path.includes(NODE_INTERNALS) || path.startsWith(programs),
  };
}
