import * as vscode from 'vscode';
import { registerChangedFiles } from './editor/changes/provider.ts';
import { registerCommands } from './editor/commands.ts';
import { registerRunTexts } from './editor/compare/compare.ts';
import { LastTwo } from './editor/compare/last-two.ts';
import { registerDebugging } from './editor/debug/debugging.ts';
import { JobPanels } from './editor/jobs/job-panels.ts';
import { Jobs } from './editor/jobs/jobs.ts';
import { registerLanguage } from './editor/language/language.ts';
import { TaskLenses } from './editor/lens/lens.ts';
import { Owned } from './editor/lifecycle.ts';
import { RunPanels } from './editor/panel/panels.ts';
import { TrajectoryEditor } from './editor/panel/trajectory-editor.ts';
import { PlacementChoice } from './editor/placement/choice.ts';
import { EnvironmentsView } from './editor/placement/environments.ts';
import { WindowPlacements } from './editor/placement/window-placements.ts';
import { Problems } from './editor/problems/problems.ts';
import { RescorePanel } from './editor/rescore/rescore-panel.ts';
import { RescoreWatch } from './editor/rescore/watch.ts';
import { RunHistory } from './editor/runs/history.ts';
import { HistoryTree } from './editor/runs/history-tree.ts';
import { Runs } from './editor/runs/runs.ts';
import { Status } from './editor/status/status.ts';
import { UnseenRuns } from './editor/status/unseen.ts';
import { TASK_DOCUMENTS } from './editor/tasks/patterns.ts';
import { TaskRoots } from './editor/tasks/roots.ts';
import { TaskFiles } from './editor/tasks/task-files.ts';
import { TaskTree } from './editor/tasks/tree.ts';
import { offerInTerminals } from './editor/terminal/terminal.ts';
import { TestView } from './editor/testing/testing.ts';
import { CallValues } from './editor/values/values.ts';

let runs: Runs | undefined;
let jobs: Jobs | undefined;

/** Composes the features and returns; everything slow is done later, by whoever needs it. */
export function activate(context: vscode.ExtensionContext): void {
  const began = performance.now();
  const log = vscode.window.createOutputChannel('Taskwright', { log: true });
  const owned = new Owned();
  context.subscriptions.push(log, owned);

  const files = owned.add(new TaskFiles(log));
  const roots = new TaskRoots(files);
  const history = owned.add(new RunHistory(log));
  const placements = owned.add(new WindowPlacements(context, log));
  const choice = owned.add(new PlacementChoice(context.workspaceState));
  runs = owned.add(new Runs(context, log, { files, history, placements, choice }));
  const values = owned.add(new CallValues(files));
  const panels = owned.add(new RunPanels(context.extensionUri, log, runs, values, placements));
  jobs = owned.add(new Jobs(log, { files, runs, history, placements }));
  const jobPanels = owned.add(new JobPanels(context.extensionUri, log, { jobs, history, panels }));
  owned.add(new RescoreWatch(log, { files, history, placements }));
  const rescores = owned.add(new RescorePanel(context.extensionUri, log, { placements, panels, history }));
  owned.add(new TrajectoryEditor(context, panels));
  const lastTwo = owned.add(new LastTwo(history));
  owned.add(registerRunTexts());
  owned.add(registerChangedFiles());
  const tree = owned.add(new TaskTree(files, roots, runs, lastTwo, choice));
  owned.add(new HistoryTree(history, runs));
  const tests = owned.add(new TestView(files, roots, runs, jobs, { history, placements }));
  const environments = owned.add(new EnvironmentsView(placements, runs));
  owned.add(new TaskLenses(files, runs, TASK_DOCUMENTS));
  owned.add(new Problems(files, TASK_DOCUMENTS, context.extensionUri));
  owned.add(registerLanguage({ log, files, extensionUri: context.extensionUri }));
  owned.add(registerDebugging({ files, runs, placements, panels }));
  owned.add(new Status(runs, choice));
  owned.add(new UnseenRuns(runs, jobs, { panels, jobPanels }));
  owned.add(
    registerCommands({
      context,
      log,
      files,
      runs,
      history,
      panels,
      placements,
      choice,
      environments,
      tests,
      tree,
      lastTwo,
      jobs,
      jobPanels,
      rescores,
    }),
  );

  setImmediate(() => {
    void files.ready();
    void history.load();
    offerInTerminals(context).catch((error: unknown) => {
      log.warn(`The taskwright command is not offered in terminals: ${String(error)}`);
    });
  });
  log.info(`Activated in ${(performance.now() - began).toFixed(1)} ms`);
}

/** Nothing of ours may be left behind: waits until the environment server has ended. */
export async function deactivate(): Promise<void> {
  jobs?.end();
  await runs?.end();
}
