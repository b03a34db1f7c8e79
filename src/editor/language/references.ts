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
import { current } from './current-file.ts';
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
        const target = await functionAt(files, document, position);
        if (target === undefined) return undefined;
        const locations = await usesInWorkspace(files, target, token);
        if (includeDeclaration && target.kind === 'user') locations.unshift(location(target.signature));
        return locations;
      },
    }),
    vscode.languages.registerReferenceProvider(FUNCTION_DOCUMENTS, {
      async provideReferences(document, position, _context, token) {
        const signature = (await signaturesIn(document)).find(({ range }) => editorRange(range).contains(position));
        // The language itself provides the declaration.
        return signature === undefined ? undefined : usesInWorkspace(files, { kind: 'user', signature }, token);
      },
    }),
    vscode.languages.registerReferenceProvider(REGISTERED_DOCUMENTS, {
      async provideReferences(document, position, { includeDeclaration }, token) {
        const match = await registeredAt(files, document, position);
        if (match === undefined) return undefined;
        const places = includeDeclaration ? match.registeredId.places.map(location) : [];
        const { class: target } = match.registeredId;
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
        const knownFile = await current(files, document);
        const target = await functionAt(files, document, position);
        const row = knownFile?.file.rowAt(position);
        if (knownFile === undefined || target === undefined || row === undefined) return undefined;
        const { usesOf } = await import('../../language/navigation/references.ts');
        const from = Math.max(0, row.index - HIGHLIGHTED_ROWS);
        const nearbyRows = knownFile.file.rows.slice(from, row.index + HIGHLIGHTED_ROWS);
        const uses = await inSlices(usesOf(target, knownFile.file, knownFile.userFunctions, nearbyRows), token);
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
  const knownFile = await current(files, document);
  const row = knownFile?.file.rowAt(position);
  if (knownFile === undefined || row === undefined) return undefined;
  const { resolveFunction, functionReferenceAt } = await import('../../language/navigation/function-references.ts');
  const name = functionReferenceAt(row, position)?.reference.name;
  return name === undefined ? undefined : resolveFunction(name, knownFile.userFunctions);
}

/** The id of a task that code registers, at a position in a task or in code, with what the code of the folder registers. */
export async function registeredAt(
  files: TaskFiles,
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<{ readonly registeredId: RegisteredId; readonly names: CustomTaskNames } | undefined> {
  const [knownFile, { registeredIdInCode, registeredIdInTask }] = await Promise.all([
    current(files, document),
    import('../../language/navigation/registered-ids.ts'),
  ]);
  const inTask =
    knownFile === undefined ? undefined : registeredIdInTask(knownFile.file, knownFile.userFunctions, position);
  const names = knownFile?.userFunctions.customTasks;
  if (inTask !== undefined && names !== undefined) return { registeredId: inTask, names };
  if (!REGISTERS.test(document.getText())) return undefined;
  const { fsPath } = document.uri;
  const { customTasks } = await files.functions.of(dirname(fsPath));
  const registeredId = customTasks === undefined ? undefined : registeredIdInCode(fsPath, position, customTasks);
  return customTasks === undefined || registeredId === undefined ? undefined : { registeredId, names: customTasks };
}

/** All calls of a function in the tasks of the workspace and of open editors. */
export async function usesInWorkspace(
  files: TaskFiles,
  target: ResolvedFunction,
  token?: vscode.CancellationToken,
): Promise<vscode.Location[]> {
  await files.ready();
  const { usesOf } = await import('../../language/navigation/references.ts');
  const locations: vscode.Location[] = [];
  for (const { file, userFunctions } of files.all) {
    // A user-defined function can be called only from the tasks next to it.
    if (target.kind === 'user' && dirname(target.signature.file) !== dirname(file.file)) continue;
    const uses = await inSlices(usesOf(target, file, userFunctions), token);
    if (uses === undefined) break;
    locations.push(...uses.map(location));
  }
  return locations;
}

/** The exports of a functions file, including unsaved changes. */
export async function signaturesIn(document: vscode.TextDocument): Promise<readonly UserSignature[]> {
  const { readSignatures } = await import('../../functions/user/names.ts');
  return readSignatures(document.getText(), document.uri.fsPath);
}

function location({ file, range }: Use): vscode.Location {
  return new vscode.Location(vscode.Uri.file(file), editorRange(range));
}
