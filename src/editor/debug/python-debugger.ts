import { dirname } from 'node:path';
import type * as vscode from 'vscode';
import type { ChildDebugger, ChildEvents, PythonTarget } from '../../debugger/host.ts';
import type { PythonConnection } from '../../runs/run/debugging.ts';
import { PYTHON_DEBUG_TYPE } from '../names.ts';
import { type ChildKind, ChildSession } from './child-debugger.ts';
import { PythonAdapter } from './python-adapter.ts';

type OpenedPython = PythonConnection & { readonly taskFile: string | null };

const KIND: ChildKind<OpenedPython> = {
  type: PYTHON_DEBUG_TYPE,
  name: 'debugpy',
  files: /\.py$/,
  configuration: ({ folder, programs, taskFile }) => ({
    pathMappings: taskFile === null ? [] : [{ localRoot: dirname(taskFile), remoteRoot: folder }],
    rules: programs.map((path) => ({ path, include: false })),
    ...{ justMyCode: true, redirectOutput: false },
  }),
  isTarget: ({ parentSession }, parent) => parentSession?.id === parent.id,
  isOwnFile: (path, { programs }) => programs.includes(path),
  blocksSession: false,
};

/** debugpy in the Python process of a session, as a child of a Taskwright session. */
export class PythonDebugger implements ChildDebugger<PythonTarget>, vscode.Disposable {
  readonly #child: ChildSession<OpenedPython>;
  #adapter: PythonAdapter | null = null;

  constructor(parent: vscode.DebugSession) {
    this.#child = new ChildSession(parent, KIND);
  }

  /** Undefined before it is attached. */
  get adapter(): vscode.DebugAdapter | undefined {
    return this.#adapter ?? undefined;
  }

  hasBreakpoints(): boolean {
    return this.#child.hasBreakpoints();
  }

  async attach({ open, file, taskFile }: PythonTarget, events: ChildEvents): Promise<void> {
    const python = await open((message) => this.#adapter?.receive(message));
    if (this.#adapter === null || this.#adapter.ended) this.#adapter = new PythonAdapter(taskFile, python);
    await this.#adapter.stopAt(file === null || python.entry === null ? null : { file, line: python.entry.line });
    await this.#child.attach({ ...python, taskFile }, events);
  }

  get isPaused(): boolean {
    return this.#child.isPaused;
  }

  pause(): Promise<void> {
    return this.#child.pause();
  }

  async whenSettled(): Promise<void> {
    // The function may not have been called.
    await this.#adapter?.stopAt(null);
    await this.#child.whenSettled();
  }

  dispose(): void {
    this.#child.dispose();
  }
}
