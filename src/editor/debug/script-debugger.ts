import { dirname } from 'node:path';
import type { ScriptTarget } from '../../debugger/host.ts';
import type { ChildKind } from './child-debugger.ts';

/** The debugger of JavaScript that comes with VS Code. */
const TYPE = 'pwa-node';
const NODE_INTERNALS = '<node_internals>';

/** VS Code's debugger of JavaScript. `programs`: the folder of ours, which are not stopped in. */
export function scriptDebugger(programs: string): ChildKind<ScriptTarget> {
  return {
    type: TYPE,
    name: 'the JavaScript debugger of VS Code',
    files: /\.[cm]?[jt]s$/,
    configuration: ({ port, folder, taskFile }) => ({
      ...{ address: '127.0.0.1', port, localRoot: dirname(taskFile), remoteRoot: folder },
      skipFiles: [`${NODE_INTERNALS}/**`, `${programs}/**`, '/opt/taskwright/dist/**'],
      ...{ smartStep: false, sourceMaps: false, restart: false, autoAttachChildProcesses: false },
    }),
    // It makes a session for the port, and in it one for what runs there.
    isTarget: ({ parentSession }, parent) =>
      parentSession?.type === TYPE && parentSession.parentSession?.id === parent.id,
    isOurs: (path) => path.includes(NODE_INTERNALS) || path.startsWith(programs),
  };
}
