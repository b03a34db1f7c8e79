import * as vscode from 'vscode';
import { SOLUTION_DOCUMENTS } from '../tasks/patterns.ts';
import type { LanguageFeature } from './feature.ts';

/** Comments in files of actions; of task files the editor folds brackets and indentation by itself. */
export const folding: LanguageFeature = () =>
  vscode.languages.registerFoldingRangeProvider(SOLUTION_DOCUMENTS, {
    async provideFoldingRanges(document) {
      const { commentGroups } = await import('../../language/navigation/folding.ts');
      return commentGroups(document.getText()).map(
        ([start, end]) => new vscode.FoldingRange(start, end, vscode.FoldingRangeKind.Comment),
      );
    },
  });
