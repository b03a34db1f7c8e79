import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { plainLabel } from '../../presentation/plain-text.ts';
import { taskLabel } from '../../tasks/label.ts';
import type { EnvironmentNode, EnvironmentsView } from '../environments-view/environments-view.ts';
import { COMMAND } from '../names.ts';
import type { RunPanels } from '../panel/panels.ts';
import type { Doctor } from '../placement/doctor.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';

/** The features that the placement commands use. */
export interface PlacementFeatures {
  readonly doctor: Doctor;
  readonly panels: RunPanels;
  readonly placements: WindowPlacements;
  readonly environments: EnvironmentsView;
}

type PlacementCommand =
  | typeof COMMAND.choosePlacement
  | typeof COMMAND.showBuildLog
  | typeof COMMAND.doctor
  | typeof COMMAND.openLive
  | typeof COMMAND.showEnvironmentLog
  | typeof COMMAND.openShell
  | typeof COMMAND.restartEnvironment
  | typeof COMMAND.stopEnvironment
  | typeof COMMAND.stopAllEnvironments;

/** Commands for placements and the Environments view. */
export function placementCommands(
  features: PlacementFeatures,
): Record<PlacementCommand, (argument: unknown) => unknown> {
  const { doctor, placements, environments } = features;
  /** The view passes its node; without one, the command does nothing. */
  const of = (act: (node: EnvironmentNode) => unknown) => (argument: unknown) => {
    const node = environments.environmentOf(argument);
    return node === undefined ? undefined : act(node);
  };
  return {
    [COMMAND.choosePlacement]: async () => (await import('../placement/pick.ts')).pickForWorkspace(placements),
    [COMMAND.showBuildLog]: () => placements.builds.show(),
    [COMMAND.doctor]: () => doctor.show(),
    [COMMAND.openLive]: of((node) => openLive(features, node)),
    [COMMAND.showEnvironmentLog]: of(({ environment }) => environments.showLog(environment)),
    [COMMAND.openShell]: of((node) => environments.openShell(node)),
    [COMMAND.restartEnvironment]: of((node) => environments.restart(node)),
    [COMMAND.stopEnvironment]: of((node) => environments.stop(node)),
    [COMMAND.stopAllEnvironments]: () => environments.stopAll(),
  };
}

async function openLive({ environments, panels }: PlacementFeatures, node: EnvironmentNode): Promise<void> {
  const runs = environments.runsIn(node);
  const [onlyRun, ...others] = runs;
  if (others.length === 0) {
    if (onlyRun !== undefined) await panels.show(onlyRun);
    return;
  }
  const picked = await vscode.window.showQuickPick(
    runs.map((run) => ({ label: plainLabel(taskLabel(run.task)), description: run.phase, run })),
    { placeHolder: l10n.t('Select a run') },
  );
  if (picked !== undefined) await panels.show(picked.run);
}
