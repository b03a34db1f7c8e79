import * as l10n from '@vscode/l10n';
import type { EnvironmentNode } from '../environments-view/environments-view.ts';
import { COMMAND } from '../names.ts';
import type { Command, Commands } from './arguments.ts';
import { chooseLiveRun } from './choose.ts';
import type { Features } from './features.ts';

/** Commands for placements and the Environments view. */
export function placementCommands({ doctor, placements, environments, panels }: Features) {
  /** The view passes its node; without one, the command does nothing. */
  const of =
    (act: (node: EnvironmentNode) => unknown): Command =>
    (argument) => {
      const node = environments.environmentOf(argument);
      return node === undefined ? undefined : act(node);
    };
  return {
    [COMMAND.choosePlacement]: async () => (await import('../placement/pick.ts')).pickForWorkspace(placements),
    [COMMAND.showBuildLog]: () => placements.builds.show(),
    [COMMAND.doctor]: () => doctor.show(),
    [COMMAND.openLive]: of(async (node) => {
      const run = await chooseLiveRun(environments.runsIn(node), l10n.t('Select a run'));
      if (run !== undefined) await panels.show(run);
    }),
    [COMMAND.showEnvironmentLog]: of(({ environment }) => environments.showLog(environment)),
    [COMMAND.openShell]: of((node) => environments.openShell(node)),
    [COMMAND.restartEnvironment]: of((node) => environments.restart(node)),
    [COMMAND.stopEnvironment]: of((node) => environments.stop(node)),
    [COMMAND.stopAllEnvironments]: () => environments.stopAll(),
  } satisfies Commands;
}
