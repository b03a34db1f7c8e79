import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

// Imported before everything else: modules read their texts when they are loaded. Modules that do not import `vscode`
// use @vscode/l10n, so all of them do.
if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
