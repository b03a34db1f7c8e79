import './editor/l10n.ts';
import * as vscode from 'vscode';
import { registerChangedFiles } from './editor/changes/changes.ts';
import { TaskCodeLenses } from './editor/code-lens/task-code-lenses.ts';
import { registerCommands } from './editor/commands/commands.ts';
import { registerRunTexts } from './editor/compare/compare.ts';
import { LastTwo } from './editor/compare/last-two.ts';
import { registerDebugging } from './editor/debug/debugging.ts';
import { EnvironmentsView } from './editor/environments-view/environments-view.ts';
import { JobPanel } from './editor/jobs/job-panel.ts';
import { Jobs } from './editor/jobs/jobs.ts';
import { ActionSchemas } from './editor/language/action-schemas.ts';
import { registerLanguage } from './editor/language/language.ts';
import { Debouncer } from './editor/lifecycle.ts';
import { OwnTasks } from './editor/own-tasks/own-tasks.ts';
import { RunPanels } from './editor/panel/panels.ts';
import { TrajectoryEditor } from './editor/panel/trajectory-editor.ts';
import { PlacementChoice } from './editor/placement/choice.ts';
import { Doctor } from './editor/placement/doctor.ts';
import { WindowPlacements } from './editor/placement/window-placements.ts';
import { Problems } from './editor/problems/problems.ts';
import { findingSources } from './editor/problems/sources.ts';
import { RescorePanel } from './editor/rescore/rescore-panel.ts';
import { RescoreWatch } from './editor/rescore/watch.ts';
import { RunHistory } from './editor/runs/history.ts';
import { HistoryTree } from './editor/runs/history-tree.ts';
import { OfferedRuns } from './editor/runs/offered-runs.ts';
import { Runs } from './editor/runs/runs.ts';
import { Serving } from './editor/serving/serving.ts';
import { notifyOfEnds } from './editor/status/end-notifications.ts';
import { Status } from './editor/status/status.ts';
import { registerTaskTools } from './editor/task-tools/task-tools.ts';
import { TaskTree } from './editor/task-tree/tree.ts';
import { TASK_DOCUMENTS } from './editor/tasks/patterns.ts';
import { TaskRoots } from './editor/tasks/roots.ts';
import { TaskFiles } from './editor/tasks/task-files.ts';
import { EnvironmentTemplates } from './editor/tasks/templates.ts';
import { offerInTerminals } from './editor/terminal/terminal.ts';
import { TestView } from './editor/testing/testing.ts';
import { CallValues } from './editor/values/values.ts';

let runs: Runs | undefined;
let jobs: Jobs | undefined;
let serving: Serving | undefined;

/** Registers the features. Each loads what is slow when it is first needed. */
export function activate(context: vscode.ExtensionContext): void {
  const startedAt = performance.now();
  const log = vscode.window.createOutputChannel('Taskwright', { log: true });
  const register = <T extends vscode.Disposable>(feature: T): T => {
    context.subscriptions.push(feature);
    return feature;
  };
  register(log);

  const placements = register(new WindowPlacements(context, log));
  const doctor = register(new Doctor(placements));
  const templates = register(new EnvironmentTemplates(context.workspaceState, log, placements));
  const files = register(new TaskFiles(log, templates));
  const roots = new TaskRoots(files);
  const history = register(new RunHistory(log));
  const choice = register(new PlacementChoice(context.workspaceState));
  const ownTasks = new OwnTasks(files, placements);
  runs = register(new Runs(context, log, { files, history, placements, choice, ownTasks }));
  register(new OfferedRuns(runs));
  const learn = register(new Debouncer(300, async () => templates.learnFrom(await placements.running())));
  register(runs.onDidProgress(() => learn.schedule()));
  const values = register(new CallValues(files));
  const panels = register(
    new RunPanels(context.extensionUri, log, {
      runs,
      history,
      values,
      curve: async (run) => (await import('./editor/rescore/curve.ts')).curveOf(run, placements),
    }),
  );
  jobs = register(new Jobs(log, { files, runs, history, placements }));
  const jobPanel = register(new JobPanel(context.extensionUri, log, { jobs, history, panels }));
  register(new RescoreWatch(log, { files, history, placements }));
  const rescorePanel = register(new RescorePanel(context.extensionUri, log, { placements, panels, history }));
  register(new TrajectoryEditor(context, panels));
  const lastTwo = register(new LastTwo(history));
  register(registerRunTexts());
  register(registerChangedFiles());
  const tree = register(new TaskTree({ files, roots, verdicts: runs, lastTwo, placements: choice, ownTasks }));
  register(new HistoryTree(history, runs));
  const tests = register(new TestView(files, roots, runs, jobs, { history, placements }));
  serving = register(new Serving(context.extensionUri, log, history));
  const environments = register(new EnvironmentsView(placements, runs, jobs, serving));
  register(new TaskCodeLenses(files, runs, TASK_DOCUMENTS));
  const schemas = register(new ActionSchemas(context.workspaceState, runs, log));
  const language = { log, files, schemas, extensionUri: context.extensionUri };
  register(new Problems(findingSources(language), context.extensionUri));
  register(registerLanguage(language));
  register(registerTaskTools(context.extensionUri));
  register(registerDebugging({ files, runs, placements, panels }));
  register(new Status(runs, choice));
  register(notifyOfEnds(runs, jobs, { panels, jobPanel }));
  register(
    registerCommands({
      context,
      log,
      doctor,
      files,
      runs,
      history,
      panels,
      placements,
      choice,
      environments,
      serving,
      tests,
      tree,
      lastTwo,
      jobs,
      jobPanel,
      rescorePanel,
    }),
  );

  setImmediate(() => {
    void files.ready();
    void history.load();
    offerInTerminals(context).catch((error: unknown) => {
      log.warn(`The taskwright command is not available in terminals: ${String(error)}`);
    });
  });
  log.info(`Activated in ${(performance.now() - startedAt).toFixed(1)} ms`);
}

/** Waits until the environment server and the servers of tasks have ended, so that no process is left behind. */
export async function deactivate(): Promise<void> {
  jobs?.end();
  await Promise.all([runs?.end(), serving?.end()]);
}
