import * as vscode from 'vscode';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';

/** Describes the key, function, environment, or argument under the pointer. */
export const hover: LanguageFeature = ({ files }) =>
  vscode.languages.registerHoverProvider(TASK_DOCUMENTS, {
    async provideHover(document, position) {
      const [knownFile, { hover: hoverAt }] = await Promise.all([
        current(files, document),
        import('../../language/typing/hover.ts'),
      ]);
      const description = knownFile === undefined ? null : hoverAt(knownFile.file, position, knownFile.userFunctions);
      return description === null
        ? undefined
        : new vscode.Hover(new vscode.MarkdownString(description.text), editorRange(description.range));
    },
  });
