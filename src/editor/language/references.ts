import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { inSlices } from '../../base/slices.ts';
import type { CustomTaskNames } from '../../functions/user/custom-tasks.ts';
import type { UserSignature } from '../../functions/user/names.ts';
import type { ResolvedFunction } from '../../language/navigation/function-references.ts';
import type { Use } from '../../language/navigation/references.ts';
import type { RegisteredId } from '../../language/navigation/registered-ids.ts';
import { editorRange } from '../ranges.ts';
import { FUNCTION_DOCUMENTS, REGISTERED_DOCUMENTS, TASK_DOCUMENTS } from '../tasks/patterns.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { current } from './current.ts';
import type { LanguageFeature } from './feature.ts';

/** Number of rows before and after the cursor in which occurrences are highlighted. */
const HIGHLIGHTED_ROWS = 300;

/** Matches code that registers tasks. */
const REGISTERS = /register_custom_task|registry\.register|registerCustomTask/;

/** Find All References of a function or of a registered task in the workspace, from a task or from its code. */
export const references: LanguageFeature = ({ files }) => {
  return vscode.Disposable.from(
    vscode.languages.registerReferenceProvider(TASK_DOCUMENTS, {
      async provideReferences(document, position, { includeDeclaration }, token) {
        const resolved = await functionAt(files, document, position);
        if (resolved === undefined) return undefined;
        const found = await usesInWorkspace(files, resolved, token);
        if (includeDeclaration && resolved.kind === 'user') found.unshift(location(resolved.signature));
        return found;
      },
    }),
    vscode.languages.registerReferenceProvider(FUNCTION_DOCUMENTS, {
      async provideReferences(document, position, _context, token) {
        const signature = (await signaturesIn(document)).find(({ range }) => editorRange(range).contains(position));
        // Its declaration is the language's own to tell.
        return signature === undefined ? undefined : usesInWorkspace(files, { kind: 'user', signature }, token);
      },
    }),
    vscode.languages.registerReferenceProvider(REGISTERED_DOCUMENTS, {
      async provideReferences(document, position, { includeDeclaration }, token) {
        const found = await registeredAt(files, document, position);
        if (found === undefined) return undefined;
        const places = includeDeclaration ? found.registered.places.map(location) : [];
        const { class: target } = found.registered;
        if (target === undefined) return places;
        await files.ready();
        const { usesOfClass } = await import('../../language/navigation/registered-ids.ts');
        for (const { file, userFunctions } of files.all) {
          const uses = await inSlices(usesOfClass(target, file, userFunctions), token);
          if (uses === undefined) break;
          places.push(...uses.map(({ range }) => location({ file: file.file, range })));
        }
        return places;
      },
    }),
    vscode.languages.registerDocumentHighlightProvider(TASK_DOCUMENTS, {
      async provideDocumentHighlights(document, position, token) {
        const known = await current(files, document);
        const resolved = await functionAt(files, document, position);
        const row = known?.file.rowAt(position);
        if (known === undefined || resolved === undefined || row === undefined) return undefined;
        const { usesOf } = await import('../../language/navigation/references.ts');
        const nearbyRows = known.file.rows.slice(
          Math.max(0, row.index - HIGHLIGHTED_ROWS),
          row.index + HIGHLIGHTED_ROWS,
        );
        const uses = await inSlices(usesOf(resolved, known.file, known.userFunctions, nearbyRows), token);
        return uses?.map(({ range }) => new vscode.DocumentHighlight(editorRange(range)));
      },
    }),
  );
};

async function functionAt(
  files: TaskFiles,
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<ResolvedFunction | undefined> {
  const [known, { resolveFunction, functionReferenceAt }] = await Promise.all([
    current(files, document),
    import('../../language/navigation/function-references.ts'),
  ]);
  const row = known?.file.rowAt(position);
  const at = row === undefined ? undefined : functionReferenceAt(row, position);
  return known === undefined || at === undefined ? undefined : resolveFunction(at.reference.name, known.userFunctions);
}

/** The id of a task that code registers, at a position in a task or in code, with what the code of the folder registers. */
export async function registeredAt(
  files: TaskFiles,
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<{ readonly registered: RegisteredId; readonly names: CustomTaskNames } | undefined> {
  const [known, { registeredIdInCode, registeredIdInTask }] = await Promise.all([
    current(files, document),
    import('../../language/navigation/registered-ids.ts'),
  ]);
  const inTask = known === undefined ? undefined : registeredIdInTask(known.file, known.userFunctions, position);
  const names = known?.userFunctions.customTasks;
  if (inTask !== undefined && names !== undefined) return { registered: inTask, names };
  if (!REGISTERS.test(document.getText())) return undefined;
  const { fsPath } = document.uri;
  const { customTasks } = await files.functions.of(dirname(fsPath));
  const registered = customTasks === undefined ? undefined : registeredIdInCode(fsPath, position, customTasks);
  return customTasks === undefined || registered === undefined ? undefined : { registered, names: customTasks };
}

/** All calls of a function in the tasks of the workspace and of open editors. */
export async function usesInWorkspace(
  files: TaskFiles,
  resolved: ResolvedFunction,
  token?: vscode.CancellationToken,
): Promise<vscode.Location[]> {
  await files.ready();
  const { usesOf } = await import('../../language/navigation/references.ts');
  const found: vscode.Location[] = [];
  for (const { file, userFunctions } of files.all) {
    // A person's function can be called from the tasks beside it only.
    if (resolved.kind === 'user' && dirname(resolved.signature.file) !== dirname(file.file)) continue;
    const uses = await inSlices(usesOf(resolved, file, userFunctions), token);
    if (uses === undefined) break;
    found.push(...uses.map(location));
  }
  return found;
}

/** The exports of a functions file, including unsaved changes. */
export async function signaturesIn(document: vscode.TextDocument): Promise<readonly UserSignature[]> {
  const { readSignatures } = await import('../../functions/user/names.ts');
  return readSignatures(document.getText(), document.uri.fsPath);
}

function location({ file, range }: Use): vscode.Location {
  return new vscode.Location(vscode.Uri.file(file), editorRange(range));
}
