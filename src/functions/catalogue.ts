import { browserFunctions } from './browser-functions.ts';
import { commandFunctions } from './command-functions.ts';
import type { FunctionDeclaration } from './declaration.ts';
import { desktopChecks, desktopSetup } from './desktop-functions.ts';
import { downloadFunctions } from './download-functions.ts';
import { episodeFunctions } from './episode-functions.ts';
import { fileFunctions } from './file-functions.ts';
import { graderFunctions } from './grader-functions.ts';
import { historyFunctions } from './history-functions.ts';
import { matcherFunctions } from './matcher-functions.ts';
import { pageFunctions } from './page-functions.ts';
import { responseFunctions } from './response-functions.ts';
import { setupFunctions } from './setup.ts';
import { sheetFunctions } from './sheets.ts';
import { workspaceSetup } from './workspace-setup.ts';

/** Every function that Taskwright knows, in the order in which completion offers them. */
export const builtins: readonly FunctionDeclaration[] = [
  ...setupFunctions,
  ...workspaceSetup,
  ...desktopSetup,
  ...pageFunctions,
  ...browserFunctions,
  ...downloadFunctions,
  ...historyFunctions,
  ...fileFunctions,
  ...commandFunctions,
  ...desktopChecks,
  ...episodeFunctions,
  ...responseFunctions,
  ...graderFunctions,
  ...matcherFunctions,
  ...sheetFunctions,
];

const byName = new Map<string, FunctionDeclaration>(
  builtins.flatMap((declaration) =>
    [declaration.name, ...(declaration.aliases ?? [])].map((name) => [name, declaration]),
  ),
);

/** The declaration of a function, by its name or an alias. */
export function findBuiltin(name: string): FunctionDeclaration | undefined {
  return byName.get(name);
}
