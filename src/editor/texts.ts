import * as vscode from 'vscode';

/** A paragraph of plain text for each text that is not empty. */
export function paragraphs(texts: readonly string[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  for (const text of texts.filter((one) => one !== '')) markdown.appendText(text).appendMarkdown('\n\n');
  return markdown;
}
