import type * as vscode from 'vscode';
import type { LastTwo } from '../compare/last-two.ts';
import type { EnvironmentsView } from '../environments-view/environments-view.ts';
import type { JobPanel } from '../jobs/job-panel.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { RunPanels } from '../panel/panels.ts';
import type { PlacementChoice } from '../placement/choice.ts';
import type { Doctor } from '../placement/doctor.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import type { RescorePanel } from '../rescore/rescore-panel.ts';
import type { RunHistory } from '../runs/history.ts';
import type { Runs } from '../runs/runs.ts';
import type { Serving } from '../serving/serving.ts';
import type { TaskTree } from '../task-tree/tree.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { TestView } from '../testing/testing.ts';

/** The features that the commands use. */
export interface Features {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly doctor: Doctor;
  readonly files: TaskFiles;
  readonly runs: Runs;
  readonly history: RunHistory;
  readonly panels: RunPanels;
  readonly placements: WindowPlacements;
  readonly choice: PlacementChoice;
  readonly environments: EnvironmentsView;
  readonly serving: Serving;
  readonly jobs: Jobs;
  readonly jobPanel: JobPanel;
  readonly rescorePanel: RescorePanel;
  readonly tests: TestView;
  readonly tree: TaskTree;
  readonly lastTwo: LastTwo;
}
