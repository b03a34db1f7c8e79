import * as l10n from '@vscode/l10n';

// Imported before everything else: modules read their texts when they are loaded.
const bundle = document.documentElement.dataset['l10n'];
if (bundle !== undefined) l10n.config({ contents: bundle });
