import * as vscode from 'vscode';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';

/** Describes the key, function, environment, or argument under the pointer. */
export const hover: LanguageFeature = ({ files }) =>
  vscode.languages.registerHoverProvider(TASK_DOCUMENTS, {
    async provideHover(document, position) {
      const knownFile = await current(files, document);
      if (knownFile === undefined) return undefined;
      const { hover: hoverAt } = await import('../../language/typing/hover.ts');
      const description = hoverAt(knownFile.file, position, knownFile.userFunctions);
      if (description === null) return undefined;
      return new vscode.Hover(new vscode.MarkdownString(description.text), editorRange(description.range));
    },
  });
