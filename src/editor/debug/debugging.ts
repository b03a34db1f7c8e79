import { resolve } from 'node:path';
import * as vscode from 'vscode';
import { AT_STEP } from '../../debugger/events.ts';
import { Owned } from '../lifecycle.ts';
import { DEBUG_TYPE } from '../names.ts';
import type { RunPanels } from '../panel/panels.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { DebugConfigurations } from './configurations.ts';
import { folderPath } from './folder.ts';
import type { DebugParts } from './host.ts';
import { CallHovers } from './hover.ts';

/** The debug type `taskwright`: configurations, the adapter in this process, and the panel that follows it. */
export function registerDebugging(parts: DebugParts & { readonly panels: RunPanels }): vscode.Disposable {
  const { files, panels } = parts;
  const owned = new Owned();
  owned.add(
    vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
      createDebugAdapterDescriptor: async (session) => {
        // Neither the protocol nor what reads runs is loaded before somebody debugs.
        const [{ TaskDebugSession }, { editorHost }, { ChildDebugger }] = await Promise.all([
          import('../../debugger/adapter.ts'),
          import('./host.ts'),
          import('./scripts.ts'),
        ]);
        const scripts = new ChildDebugger(session, import.meta.dirname);
        const adapter = new TaskDebugSession(editorHost(parts, session.workspaceFolder, scripts));
        void adapter.over.finally(() => scripts.dispose());
        return new vscode.DebugAdapterInlineImplementation(adapter);
      },
    }),
  );
  owned.add(vscode.languages.registerEvaluatableExpressionProvider(TASK_DOCUMENTS, new CallHovers(files)));
  const configurations = new DebugConfigurations(files);
  owned.add(vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, configurations));
  owned.add(
    vscode.debug.registerDebugConfigurationProvider(
      DEBUG_TYPE,
      { provideDebugConfigurations: () => configurations.provideDebugConfigurations() },
      vscode.DebugConfigurationProviderTriggerKind.Dynamic,
    ),
  );
  owned.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      // A live run's panel is at its newest step by itself.
      const run: unknown = session.configuration['run'];
      const step: unknown = (body as { step?: unknown } | undefined)?.step;
      if (session.type !== DEBUG_TYPE || event !== AT_STEP || typeof run !== 'string' || typeof step !== 'number')
        return;
      void panels.showStep(resolve(folderPath(session.workspaceFolder), run), step);
    }),
  );
  return owned;
}
