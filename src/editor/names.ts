/** The names in package.json that code refers to. A test compares both. */
export const COMMAND = {
  run: 'taskwright.runTask',
  runWith: 'taskwright.runTaskWithAgent',
  debug: 'taskwright.debugTask',
  replay: 'taskwright.replayRun',
  runManually: 'taskwright.runTaskByHand',
  saveSolution: 'taskwright.saveSolution',
  stop: 'taskwright.stopTask',
  openTask: 'taskwright.openTask',
  openSolution: 'taskwright.openSolution',
  copyAddress: 'taskwright.copyAddress',
  filterTasks: 'taskwright.filterTasks',
  clearFilter: 'taskwright.clearFilter',
  refreshTasks: 'taskwright.refreshTasks',
  newTask: 'taskwright.newTask',
  duplicateTask: 'taskwright.duplicateTask',
  deleteTask: 'taskwright.deleteTask',
  copyOwnTask: 'taskwright.copyOwnTask',
  newExample: 'taskwright.newExample',
  openDocumentation: 'taskwright.openDocumentation',
  showTasks: 'taskwright.showTasks',
  openRun: 'taskwright.openRun',
  compareRuns: 'taskwright.compareRuns',
  deleteRun: 'taskwright.deleteRun',
  runAll: 'taskwright.runAll',
  runAllWith: 'taskwright.runAllWith',
  runJob: 'taskwright.runJob',
  runJobWith: 'taskwright.runJobWith',
  openJob: 'taskwright.openJob',
  stopJob: 'taskwright.stopJob',
  resumeJob: 'taskwright.resumeJob',
  deleteJob: 'taskwright.deleteJob',
  rescore: 'taskwright.rescore',
  rescoreSteps: 'taskwright.rescoreEveryStep',
  rescoreWatch: 'taskwright.toggleRescoreOnSave',
  rescoreShown: 'taskwright.rescoreShownRun',
  revealRun: 'taskwright.revealRun',
  refreshRuns: 'taskwright.refreshRuns',
  nextStep: 'taskwright.nextStep',
  previousStep: 'taskwright.previousStep',
  rerun: 'taskwright.runAgain',
  cancelShown: 'taskwright.stopShownRun',
  pin: 'taskwright.pinRun',
  unpin: 'taskwright.unpinRun',
  keep: 'taskwright.keepRun',
  stopKeeping: 'taskwright.stopKeepingRun',
  openTrace: 'taskwright.openTrace',
  importTrajectory: 'taskwright.importTrajectory',
  exportTrajectory: 'taskwright.exportTrajectory',
  copyAction: 'taskwright.copyAction',
  openPage: 'taskwright.openPage',
  showLog: 'taskwright.showLog',
  downloadBrowser: 'taskwright.downloadBrowser',
  runIn: 'taskwright.runTaskIn',
  choosePlacement: 'taskwright.choosePlacement',
  showBuildLog: 'taskwright.showBuildLog',
  doctor: 'taskwright.doctor',
  openLive: 'taskwright.openLive',
  showEnvironmentLog: 'taskwright.showEnvironmentLog',
  openShell: 'taskwright.openShell',
  restartEnvironment: 'taskwright.restartEnvironment',
  stopEnvironment: 'taskwright.stopEnvironment',
  stopAllEnvironments: 'taskwright.stopAllEnvironments',
  serveTasks: 'taskwright.serveTasks',
  copyServerAddress: 'taskwright.copyServerAddress',
  copyServerToken: 'taskwright.copyServerToken',
  copyServerAgentToken: 'taskwright.copyServerAgentToken',
  copyServerCode: 'taskwright.copyServerCode',
  showServerLog: 'taskwright.showServerLog',
  stopServing: 'taskwright.stopServing',
} as const;
export type CommandId = (typeof COMMAND)[keyof typeof COMMAND];

export const VIEW = {
  tasks: 'taskwright.tasks',
  runs: 'taskwright.runs',
  environments: 'taskwright.environments',
} as const;

/** The controller of the Testing view. */
export const TEST_CONTROLLER = 'taskwright';

/** The type of debug configurations. */
export const DEBUG_TYPE = 'taskwright';
/** The debug type of sessions that step through Python functions. */
export const PYTHON_DEBUG_TYPE = 'taskwright-python';

/** View type of the run panel. */
export const RUN_PANEL = 'taskwright.run';

/** View type of the editor that shows a trajectory file as a run. */
export const TRAJECTORY_EDITOR = 'taskwright.trajectory';

/** View type of the job panel. */
export const JOB_PANEL = 'taskwright.job';

/** The MCP servers of runs that wait for an external agent. */
export const OFFERED_RUNS = 'taskwright.offeredRuns';

/** The tools for VS Code's own agents. */
export const TASK_TOOL_NAMES = [
  'taskwright_list_tasks',
  'taskwright_validate_tasks',
  'taskwright_run_task',
  'taskwright_read_run',
  'taskwright_rescore_runs',
  'taskwright_explain_rule',
] as const;

/** View type of the re-score panel. */
export const RESCORE_PANEL = 'taskwright.rescore';

/** Schemes of read-only documents. VS Code activates the extension for those that it restores, see `activationEvents`. */
export const SCHEME = {
  doctor: 'taskwright-doctor',
  functions: 'taskwright-docs',
  recordedFile: 'taskwright-file',
  runText: 'taskwright-run',
} as const;

/** Colors that package.json contributes with values for all kinds of themes: some of VS Code's have none in high contrast. */
export const COLOR = {
  passed: 'taskwright.passedForeground',
  partial: 'taskwright.partialForeground',
  failed: 'taskwright.failedForeground',
  changed: 'taskwright.changedForeground',
  selectedBorder: 'taskwright.selectedCallBorder',
  selectedBackground: 'taskwright.selectedCallBackground',
} as const;

/** Context keys of `when` clauses. */
export const CONTEXT = {
  /** The workspace was searched for tasks at least once. */
  searched: 'taskwright.searched',
  /** At least one task is known. */
  hasTasks: 'taskwright.hasTasks',
  /** A filter hides some tasks of the tree. */
  filtered: 'taskwright.filtered',
  /** At least one run is in progress. */
  running: 'taskwright.running',
  /** At least one job is in progress in this window. */
  jobRunning: 'taskwright.jobRunning',
  /** At least one run is recorded. */
  hasRuns: 'taskwright.hasRuns',
  /** The Environments view shows at least one environment. */
  hasEnvironments: 'taskwright.hasEnvironments',
  /** The active run panel shows a run. */
  showsRun: 'taskwright.showsRun',
  /** The active run panel shows a run in progress. */
  shownRunning: 'taskwright.shownRunning',
  /** The active run panel is pinned. */
  shownPinned: 'taskwright.shownPinned',
  /** Whether the user keeps the run of the active run panel: `yes` or `no`; empty if it cannot be kept. */
  shownKept: 'taskwright.shownKept',
} as const;
