import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { findRow, referenceTo, type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import { debugAsTest } from '../debug/configurations.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { LiveJob } from '../jobs/live-job.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { TEST_CONTROLLER } from '../names.ts';
import { checkTrust } from '../runs/before-run.ts';
import { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';
import type { TaskRoots } from '../tasks/roots.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { affectsTask } from './continuous.ts';
import { TestItems } from './items.ts';
import { followJob } from './job-results.ts';
import type { RescoreTestParts } from './rescore.ts';
import { begin, concludeRun, refuse, type TestResult } from './results.ts';

/** Milliseconds after the last change until the items are updated. */
const ITEMS_MS = 300;

/** The Testing view: the tasks of the tree, with every run of this window as a result. */
export class TestView extends Disposable {
  readonly #files: TaskFiles;
  readonly #runs: Runs;
  readonly #jobs: Jobs;
  readonly #rescoreParts: RescoreTestParts;
  readonly #controller: vscode.TestController;
  readonly #items: TestItems;
  readonly #profile: vscode.TestRunProfile;
  /** The tasks of test runs in progress, by their keys. */
  readonly #requestedTests = new Map<string, TestResult>();
  readonly #requestedJobs = new WeakSet<LiveJob>();

  constructor(files: TaskFiles, roots: TaskRoots, runs: Runs, jobs: Jobs, rescoreParts: RescoreTestParts) {
    super();
    this.#files = files;
    this.#jobs = jobs;
    this.#rescoreParts = rescoreParts;
    this.#runs = runs;
    this.#controller = this.register(vscode.tests.createTestController(TEST_CONTROLLER, 'Taskwright'));
    this.#items = new TestItems(this.#controller, roots);
    this.#controller.resolveHandler = (item) => this.#items.resolve(item);
    this.#controller.refreshHandler = () => files.refresh();
    const { Run, Debug } = vscode.TestRunProfileKind;
    this.#profile = this.#controller.createRunProfile(
      l10n.t('Run'),
      Run,
      (request, token) => (request.continuous === true ? this.#watch(request, token) : this.#run(request)),
      true,
      undefined,
      true,
    );
    this.#controller.createRunProfile(l10n.t('Run with Agent…'), Run, (request) => this.#runWithAgent(request));
    this.#controller.createRunProfile(l10n.t('Debug'), Debug, (request) => this.#debug(request), true);
    this.#controller.createRunProfile(l10n.t('Re-score'), Run, (request) => this.#rescore(request));
    const update = this.register(new Debouncer(ITEMS_MS, () => this.#items.update()));
    this.register(files.onDidChange(() => update.schedule()));
    const open = this.register(new Debouncer(ITEMS_MS, () => this.#openVisible()));
    this.registerAll(
      vscode.window.onDidChangeVisibleTextEditors(() => open.schedule()),
      files.onDidChange((uris) => uris.length === 0 && open.schedule()),
      runs.onDidStart((run) => void this.#follow(run)),
      // In the next tick, when a job of a test run has been registered.
      jobs.onDidStart((job) => setImmediate(() => void this.#followJob(job))),
    );
  }

  /** The task of an item or of a message, which menus of the Testing view pass. */
  referenceIn(argument: unknown): TaskReference | undefined {
    if (typeof argument !== 'object' || argument === null) return undefined;
    const item = 'test' in argument ? argument.test : argument;
    return this.#items.referenceOf(item as vscode.TestItem);
  }

  /** The gutter icons of a file need its items. */
  async #openVisible(): Promise<void> {
    for (const { document } of vscode.window.visibleTextEditors) {
      if (this.#files.get(document.uri) !== undefined) await this.#items.openFile(document.uri.fsPath);
    }
  }

  /** Runs tasks whenever they or their files are saved, until the user turns continuous run off. */
  async #watch(request: vscode.TestRunRequest, off: vscode.CancellationToken): Promise<void> {
    const texts = new Map<string, string | undefined>();
    for (const item of await this.#items.tasksIn(request)) this.#takeText(item, texts);
    const savedPaths = new Set<string>();
    const rerun = new Debouncer(ITEMS_MS, async () => {
      const paths = [...savedPaths];
      savedPaths.clear();
      const changedItems = (await this.#items.tasksIn(request)).filter((item) => {
        const task = this.#items.referenceOf(item);
        if (task === undefined) return false;
        const isOther = paths.includes(task.file) && this.#takeText(item, texts);
        return isOther || paths.some((path) => affectsTask(path, task));
      });
      if (changedItems.length > 0)
        await this.#run(new vscode.TestRunRequest(changedItems, undefined, request.profile, true));
    });
    const listening = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      savedPaths.add(uri.fsPath);
      rerun.schedule();
    });
    const watching = this.register(vscode.Disposable.from(rerun, listening));
    off.onCancellationRequested(() => watching.dispose());
  }

  /** Stores the text of a task. Returns whether it changed. */
  #takeText(item: vscode.TestItem, texts: Map<string, string | undefined>): boolean {
    const task = this.#items.referenceOf(item);
    const rows = task === undefined ? undefined : this.#files.get(vscode.Uri.file(task.file))?.file.rows;
    if (task === undefined || rows === undefined) return false;
    const text = findRow(rows, task)?.text;
    const isOther = texts.get(taskKey(task)) !== text;
    texts.set(taskKey(task), text);
    return isOther;
  }

  async #runWithAgent(request: vscode.TestRunRequest): Promise<void> {
    const { pickAgentOfMany } = await import('../runs/agent-pick.ts');
    const agent = await pickAgentOfMany(request.include?.[0]?.uri?.fsPath, l10n.t('Run Tasks'));
    if (agent !== undefined) await this.#run(request, agent);
  }

  async #run(request: vscode.TestRunRequest, agent?: string): Promise<void> {
    await this.#inTestRun(request, async (testRun, items) => {
      for (const item of items) testRun.enqueued(item);
      const [only] = items;
      if (only === undefined || testRun.token.isCancellationRequested) return;
      if (items.length === 1) await this.#runOne({ testRun, item: only }, agent, request.continuous !== true);
      else await this.#runJob(testRun, items, agent);
    });
  }

  /** Debugs tasks sequentially. */
  async #debug(request: vscode.TestRunRequest): Promise<void> {
    await this.#inTestRun(request, async (testRun, items) => {
      for (const item of items) {
        const task = this.#items.referenceOf(item);
        if (task === undefined || testRun.token.isCancellationRequested) continue;
        await this.#debugOne({ testRun, item }, task);
      }
    });
  }

  /** Re-scores the last recorded runs with the current tasks. */
  async #rescore(request: vscode.TestRunRequest): Promise<void> {
    if (!checkTrust()) return;
    await this.#inTestRun(request, async (testRun, items) => {
      const { rescoreTests } = await import('./rescore.ts');
      const tasks = items.flatMap((item) => {
        const task = this.#items.referenceOf(item);
        return task === undefined ? [] : [{ item, task }];
      });
      await rescoreTests(testRun, tasks, this.#rescoreParts);
    });
  }

  /** Calls `work` with the task items of a request in a test run, and ends the test run. */
  async #inTestRun(
    request: vscode.TestRunRequest,
    work: (testRun: vscode.TestRun, items: readonly vscode.TestItem[]) => Promise<void>,
  ): Promise<void> {
    const testRun = this.#controller.createTestRun(request);
    try {
      await work(testRun, await this.#items.tasksIn(request));
    } finally {
      testRun.end();
    }
  }

  async #debugOne(testResult: TestResult, task: TaskReference): Promise<void> {
    const key = taskKey(task);
    this.#requestedTests.set(key, testResult);
    const listener = this.#runs.onDidEnd((run) => {
      if (taskKey(referenceTo(run.task)) === key) concludeRun(testResult, run);
    });
    try {
      if (!(await debugAsTest(this.#files, task, testResult.testRun))) testResult.testRun.skipped(testResult.item);
    } finally {
      listener.dispose();
      if (this.#requestedTests.get(key) === testResult) this.#requestedTests.delete(key);
    }
  }

  /** `foreground`: the user waits for the result. */
  async #runOne(testResult: TestResult, agent: string | undefined, foreground: boolean): Promise<void> {
    const task = this.#items.referenceOf(testResult.item);
    if (task === undefined) return;
    const key = taskKey(task);
    this.#requestedTests.set(key, testResult);
    try {
      const active = this.#runs.activeOf(key);
      let run = active ?? (await this.#runs.startQuietly(task, { agent, foreground }));
      // For a single task, ask for the agent.
      if (foreground && run !== undefined && 'code' in run && run.code === 'no_agent')
        run = await this.#runs.start(task);
      if (run === undefined) testResult.testRun.skipped(testResult.item);
      else if (!(run instanceof LiveRun)) refuse(testResult, run);
      else {
        if (run === active) begin(testResult, run);
        await this.#runs.waitForEnd(run);
        concludeRun(testResult, run);
      }
    } finally {
      if (this.#requestedTests.get(key) === testResult) this.#requestedTests.delete(key);
    }
  }

  async #runJob(testRun: vscode.TestRun, items: readonly vscode.TestItem[], agent: string | undefined): Promise<void> {
    const tasks = items.flatMap((item) => this.#items.referenceOf(item) ?? []);
    const job = await this.#jobs.start(tasks, { group: 1, agent });
    if (job === undefined) return;
    this.#requestedJobs.add(job);
    if (testRun.token.isCancellationRequested) job.cancel();
    await followJob(job, testRun, (index) => items[index]);
  }

  /** Shows a run that was not started by a test run as a test result. */
  async #follow(run: LiveRun): Promise<void> {
    const reference = referenceTo(run.task);
    const testResult = this.#requestedTests.get(taskKey(reference));
    if (testResult !== undefined) {
      begin(testResult, run);
      return;
    }
    const item = await this.#items.itemOf(reference);
    // A file outside the workspace has no item.
    if (item === undefined) return;
    const result = { item, testRun: this.#createTestRun([item]) };
    begin(result, run);
    await this.#runs.waitForEnd(run);
    // The run panel and the inline values show why it failed.
    concludeRun(result, run, { messages: [] });
    result.testRun.end();
  }

  /** Shows a job that was not started by a test run as test results. */
  async #followJob(job: LiveJob): Promise<void> {
    if (this.#requestedJobs.has(job)) return;
    const items: (vscode.TestItem | undefined)[] = [];
    for (const { plannedRun } of job.runs) {
      items.push(
        await this.#items.itemOf({ file: plannedRun.file, index: plannedRun.index, name: plannedRun.task_id }),
      );
    }
    const knownItems = [...new Set(items)].filter((item) => item !== undefined);
    if (knownItems.length === 0) return;
    const testRun = this.#createTestRun(knownItems);
    for (const item of knownItems) testRun.enqueued(item);
    await followJob(job, testRun, (index) => items[index]);
    testRun.end();
  }

  #createTestRun(items: vscode.TestItem[]): vscode.TestRun {
    return this.#controller.createTestRun(new vscode.TestRunRequest(items, undefined, this.#profile));
  }
}
