import { browserChecks } from './browser-checks.ts';
import { commandChecks } from './command-checks.ts';
import type { FunctionDeclaration } from './declaration.ts';
import { desktopChecks, desktopSetup } from './desktop-functions.ts';
import { episodeChecks } from './episode-checks.ts';
import { fileChecks } from './file-checks.ts';
import { graderChecks } from './grader-checks.ts';
import { historyChecks } from './history-checks.ts';
import { matcherChecks } from './matcher-checks.ts';
import { pageChecks } from './page-checks.ts';
import { responseChecks } from './response-checks.ts';
import { setupFunctions } from './setup.ts';
import { sheetFunctions } from './sheets.ts';
import { workspaceSetup } from './workspace-setup.ts';

/** Every function that Taskwright knows, in the order in which completion offers them. */
export const builtins: readonly FunctionDeclaration[] = [
  ...setupFunctions,
  ...workspaceSetup,
  ...desktopSetup,
  ...pageChecks,
  ...browserChecks,
  ...historyChecks,
  ...fileChecks,
  ...commandChecks,
  ...desktopChecks,
  ...episodeChecks,
  ...responseChecks,
  ...graderChecks,
  ...matcherChecks,
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
