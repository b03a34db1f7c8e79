import type * as vscode from 'vscode';
import type { FunctionDebuggers, ScriptTarget } from '../../debugger/host.ts';
import { ChildSession } from './child-debugger.ts';
import { PythonDebugger } from './python-debugger.ts';
import { scriptDebugger } from './script-debugger.ts';

/** The debuggers of user-defined functions for a session. `programs`: the folder of Taskwright's programs. */
export function debuggersOf(
  session: vscode.DebugSession,
  programs: string,
): FunctionDebuggers & { readonly python: PythonDebugger; dispose(): void } {
  const scripts = new ChildSession<ScriptTarget>(session, scriptDebugger(programs));
  const python = new PythonDebugger(session);
  const dispose = (): void => {
    scripts.dispose();
    python.dispose();
  };
  return { scripts, python, dispose };
}
