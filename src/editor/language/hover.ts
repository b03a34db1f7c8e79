import * as vscode from 'vscode';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current.ts';
import type { LanguageFeature } from './feature.ts';

/** Describes the key, function, environment, or argument under the pointer. */
export const hover: LanguageFeature = ({ files }) =>
  vscode.languages.registerHoverProvider(TASK_DOCUMENTS, {
    async provideHover(document, position) {
      const [known, { hover: hoverAt }] = await Promise.all([
        current(files, document),
        import('../../language/typing/hover.ts'),
      ]);
      const found = known === undefined ? null : hoverAt(known.file, position, known.userFunctions);
      return found === null
        ? undefined
        : new vscode.Hover(new vscode.MarkdownString(found.text), editorRange(found.range));
    },
  });
