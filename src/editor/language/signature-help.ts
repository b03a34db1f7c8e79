import * as vscode from 'vscode';
import type { SignatureHelp } from '../../language/typing/signature-help.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';

/** Signature help for setup and evaluate calls. */
export const signatureHelp: LanguageFeature = ({ files }) =>
  vscode.languages.registerSignatureHelpProvider(
    TASK_DOCUMENTS,
    {
      async provideSignatureHelp(document, position) {
        const knownFile = await current(files, document);
        if (knownFile === undefined) return undefined;
        const { signatureHelp: helpAt } = await import('../../language/typing/signature-help.ts');
        const help = helpAt(knownFile.file, position, knownFile.userFunctions);
        return help === null ? undefined : asHelp(help);
      },
    },
    { triggerCharacters: ['"', "'", '[', '(', ','], retriggerCharacters: [',', ']', ')'] },
  );

function asHelp({ label, doc, parameters, active }: SignatureHelp): vscode.SignatureHelp {
  const signature = new vscode.SignatureInformation(label, doc === null ? undefined : new vscode.MarkdownString(doc));
  let from = label.indexOf('(') + 1;
  for (const parameter of parameters) {
    signature.parameters.push(new vscode.ParameterInformation([from, from + parameter.length]));
    from += parameter.length + ', '.length;
  }
  const help = new vscode.SignatureHelp();
  help.signatures = [signature];
  help.activeSignature = 0;
  // An index after the last one highlights none.
  help.activeParameter = active ?? parameters.length;
  return help;
}
