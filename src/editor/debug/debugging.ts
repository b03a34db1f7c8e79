import { resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callAt } from '../../debugger/call-locations.ts';
import { AT_STEP, GO_TO_STEP } from '../../debugger/events.ts';
import { printCall } from '../../tasks/print.ts';
import { DEBUG_TYPE, PYTHON_DEBUG_TYPE } from '../names.ts';
import { showWarning } from '../notifications.ts';
import type { RunPanels } from '../panel/panels.ts';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { debugConfigurations, folderPath } from './configurations.ts';
import type { PythonDebugger } from './python-debugger.ts';
import type { DebugParts } from './session.ts';

/** Registers the debug type `taskwright`: configurations, the inline adapter, and the panel that follows it. */
export function registerDebugging(parts: DebugParts & { readonly panels: RunPanels }): vscode.Disposable {
  const { files, panels } = parts;
  /** The debuggers of Python functions, by the id of the session whose task calls them. */
  const pythons = new Map<string, PythonDebugger>();
  const configurations = debugConfigurations(files);
  /** Replay sessions by the folder of the run. The panel and the debugger follow each other. */
  const replays = new Map<string, { readonly session: vscode.DebugSession; at: number }>();
  return vscode.Disposable.from(
    vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
      createDebugAdapterDescriptor: async (session) => {
        // Loaded when the user starts debugging.
        const { startSession } = await import('./session.ts');
        const { adapter, python } = startSession(parts, session);
        pythons.set(session.id, python);
        void adapter.finished.finally(() => pythons.delete(session.id));
        return new vscode.DebugAdapterInlineImplementation(adapter);
      },
    }),
    vscode.debug.registerDebugAdapterDescriptorFactory(PYTHON_DEBUG_TYPE, {
      createDebugAdapterDescriptor: ({ parentSession }) => {
        const adapter = pythons.get(parentSession?.id ?? '')?.adapter;
        if (adapter === undefined) throw new Error(l10n.t('Debug a task to step into its Python functions.'));
        return new vscode.DebugAdapterInlineImplementation(adapter);
      },
    }),
    vscode.languages.registerEvaluatableExpressionProvider(TASK_DOCUMENTS, {
      // While a run is stopped, hovering over an evaluate call evaluates it on the current page.
      provideEvaluatableExpression(document, position) {
        const file = files.get(document.uri)?.file;
        const location = file && callAt(file, position.line, position.character);
        if (location?.phase !== 'evaluate') return undefined;
        const range = editorRange(location.call.range);
        return range.contains(position) ? new vscode.EvaluatableExpression(range, printCall(location.call)) : undefined;
      },
    }),
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, configurations),
    vscode.debug.registerDebugConfigurationProvider(
      DEBUG_TYPE,
      { provideDebugConfigurations: configurations.provideDebugConfigurations },
      vscode.DebugConfigurationProviderTriggerKind.Dynamic,
    ),
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      // The panel of a live run follows the newest step anyway.
      const run: unknown = session.configuration['run'];
      const step: unknown = (body as { step?: unknown } | undefined)?.step;
      if (session.type !== DEBUG_TYPE || event !== AT_STEP || typeof run !== 'string' || typeof step !== 'number')
        return;
      const traceDir = resolve(folderPath(session.workspaceFolder), run);
      replays.set(traceDir, { session, at: step });
      void panels.showStep(traceDir, step);
    }),
    vscode.debug.onDidTerminateDebugSession((session) => {
      for (const [traceDir, replay] of replays) if (replay.session === session) replays.delete(traceDir);
    }),
    panels.onDidChoose(({ traceDir, step }) => {
      const replay = replays.get(traceDir);
      if (replay === undefined || replay.at === step) return;
      replay.at = step;
      replay.session
        .customRequest(GO_TO_STEP, { step })
        .then(undefined, (error: Error) => void showWarning(error.message));
    }),
  );
}
