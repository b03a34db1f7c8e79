import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { plainLabel } from '../../presentation/plain-text.ts';
import type { TaskTool } from '../../task-tools/tool.ts';
import { TASK_TOOL_NAMES } from '../names.ts';
import { saveDocuments, UNTRUSTED } from '../runs/before-run.ts';
import { mayBeTaskFile } from '../tasks/patterns.ts';

/**
 * Offers the tools for coding agents to VS Code's own agents. Each is loaded on first use, and runs the command line in its
 * own process.
 */
export function registerTaskTools(extensionUri: vscode.Uri): vscode.Disposable {
  const ending = new AbortController();
  const tools = TASK_TOOL_NAMES.map((name) =>
    vscode.lm.registerTool<Record<string, unknown>>(name, {
      prepareInvocation: async ({ input }) => {
        const tool = await toolNamed(name);
        const parseResult = tool.input.safeParse(input);
        const words = plainLabel(parseResult.success ? tool.announce(parseResult.data) : tool.title);
        // A tool refuses invalid input without doing anything.
        if (!parseResult.success || !tool.confirms(parseResult.data)) return { invocationMessage: words };
        const message = tool.runsCode
          ? l10n.t(
              'This runs code of the workspace, such as the functions of tasks, with the permissions of your user account.',
            )
          : l10n.t('This can change task files of the workspace.');
        return { invocationMessage: words, confirmationMessages: { title: words, message } };
      },
      invoke: async ({ input }, token) => {
        const tool = await toolNamed(name);
        if (tool.runsCode && !vscode.workspace.isTrusted) throw new Error(UNTRUSTED);
        const folder = vscode.workspace.workspaceFolders?.[0];
        if (folder === undefined && tool.reads !== 'nothing') {
          throw new Error(l10n.t('Open a folder with tasks first.'));
        }
        if (folder !== undefined) await saveFor(tool, input, folder);
        const cancellation = new AbortController();
        const onCancel = token.onCancellationRequested(() => cancellation.abort());
        try {
          const [{ useTool }, { commandLineIn }] = await Promise.all([
            import('../../task-tools/tool.ts'),
            import('./command-line.ts'),
          ]);
          const host = commandLineIn(folder?.uri ?? extensionUri, extensionUri.fsPath);
          const signal = AbortSignal.any([cancellation.signal, ending.signal]);
          const { content, isError } = await useTool(tool, input, host, signal);
          const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
          if (isError) throw new Error(texts.join('\n'));
          return new vscode.LanguageModelToolResult(
            content.map((part) =>
              part.type === 'text'
                ? new vscode.LanguageModelTextPart(part.text)
                : vscode.LanguageModelDataPart.image(Buffer.from(part.data, 'base64'), part.mimeType),
            ),
          );
        } finally {
          onCancel.dispose();
        }
      },
    }),
  );
  return vscode.Disposable.from({ dispose: () => ending.abort() }, ...tools);
}

/** Saves what a tool reads from disk: all files of the folder before the user's tasks run or change, otherwise those of tasks. */
async function saveFor(tool: TaskTool, input: unknown, folder: vscode.WorkspaceFolder): Promise<void> {
  const parseResult = tool.input.safeParse(input);
  // A tool refuses invalid input without doing anything.
  if (!parseResult.success) return;
  if (tool.confirms(parseResult.data)) await saveDocuments(folder);
  else if (tool.reads === 'tasks') await saveDocuments(folder, isOfTasks);
}

/** Task files, solutions, and files that can have functions or custom tasks. */
function isOfTasks({ uri }: vscode.TextDocument): boolean {
  return mayBeTaskFile(uri.path) || /\.(?:actions|[cm]?[jt]s)$/.test(uri.path);
}

async function toolNamed(name: string) {
  const [{ TASK_TOOLS }, { nameInEditor }] = await Promise.all([
    import('../../task-tools/tools.ts'),
    import('../../task-tools/listing.ts'),
  ]);
  const tool = TASK_TOOLS.find((one) => nameInEditor(one) === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}
