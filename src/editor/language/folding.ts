import * as vscode from 'vscode';
import { SOLUTION_DOCUMENTS } from '../tasks/patterns.ts';
import type { LanguageFeature } from './feature.ts';

/** Folds comments in `.actions` files. VS Code folds task files by itself. */
export const folding: LanguageFeature = () =>
  vscode.languages.registerFoldingRangeProvider(SOLUTION_DOCUMENTS, {
    async provideFoldingRanges(document) {
      const { commentGroups } = await import('../../language/navigation/folding.ts');
      return commentGroups(document.getText()).map(
        ([start, end]) => new vscode.FoldingRange(start, end, vscode.FoldingRangeKind.Comment),
      );
    },
  });
