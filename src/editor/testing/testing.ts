import * as vscode from 'vscode';
import type { RunRecord } from '../../runs/trace.ts';
import { Coalesced, Owned } from '../lifecycle.ts';
import { TEST_CONTROLLER } from '../names.ts';
import { editorRange } from '../ranges.ts';
import { LiveRun } from '../runs/live-run.ts';
import type { Refusal, Runs } from '../runs/runs.ts';
import { referenceTo, type TaskReference, taskKey } from '../tasks/reference.ts';
import type { TaskRoots } from '../tasks/roots.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { TestItems } from './items.ts';
import { outcomeOf, type TestOutcomeMessage } from './outcome.ts';
import { outputOf } from './output.ts';
import { inTurns } from './turns.ts';

/** How long the items may lag behind what is typed, in milliseconds. */
const ITEMS_MS = 300;
/** Tasks that run at the same time when several are asked for. */
const AT_ONCE = 2;

/** A task of a test run that is waited for. */
interface Awaited {
  readonly testRun: vscode.TestRun;
  readonly item: vscode.TestItem;
}

/** The Testing view: the same tasks as the tree, and every run of this window as a result there. */
export class TestView implements vscode.Disposable {
  readonly #owned = new Owned();
  readonly #runs: Runs;
  readonly #controller: vscode.TestController;
  readonly #items: TestItems;
  readonly #profile: vscode.TestRunProfile;
  /** The tasks that a test run has asked for, by their keys. */
  readonly #awaited = new Map<string, Awaited>();

  constructor(files: TaskFiles, roots: TaskRoots, runs: Runs) {
    this.#runs = runs;
    this.#controller = this.#owned.add(vscode.tests.createTestController(TEST_CONTROLLER, 'Taskwright'));
    this.#items = new TestItems(this.#controller, roots);
    this.#controller.resolveHandler = (item) => this.#items.resolve(item);
    this.#controller.refreshHandler = () => files.refresh();
    this.#profile = this.#controller.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, token) => this.#run(request, token),
      true,
    );
    this.#controller.createRunProfile('Run With Agent…', vscode.TestRunProfileKind.Run, (request, token) =>
      this.#runWithAgent(request, token),
    );
    const update = this.#owned.add(new Coalesced(ITEMS_MS, () => this.#items.update()));
    this.#owned.add(files.onDidChange(() => update.ask()));
    const open = this.#owned.add(new Coalesced(ITEMS_MS, () => this.#openVisible(files)));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(() => open.ask()));
    this.#owned.add(files.onDidChange((uris) => uris.length === 0 && open.ask()));
    this.#owned.add(runs.onDidStart((run) => void this.#follow(run)));
  }

  /** The task of an item, or of the item of a message, as menus of the Testing view hand them over. */
  referenceIn(argument: unknown): TaskReference | undefined {
    if (typeof argument !== 'object' || argument === null) return undefined;
    const item = 'test' in argument ? argument.test : argument;
    return this.#items.referenceOf(item as vscode.TestItem);
  }

  /** The signs beside the lines of a file need its items. */
  async #openVisible(files: TaskFiles): Promise<void> {
    for (const { document } of vscode.window.visibleTextEditors) {
      if (files.get(document.uri) !== undefined) await this.#items.openFile(document.uri.fsPath);
    }
  }

  async #runWithAgent(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const { pickAgentOfMany } = await import('../runs/agent-pick.ts');
    const folder = request.include?.[0]?.uri;
    const agent = await pickAgentOfMany(folder?.fsPath);
    if (agent !== undefined) await this.#run(request, token, agent);
  }

  async #run(request: vscode.TestRunRequest, token: vscode.CancellationToken, agent?: string): Promise<void> {
    const testRun = this.#controller.createTestRun(request);
    try {
      const items = await this.#items.tasksIn(request);
      for (const item of items) testRun.enqueued(item);
      const ended = (): boolean => token.isCancellationRequested || testRun.token.isCancellationRequested;
      await inTurns(items, AT_ONCE, ended, (item) => this.#runOne({ testRun, item }, agent, items.length === 1));
    } finally {
      testRun.end();
    }
  }

  async #runOne(awaited: Awaited, agent: string | undefined, attended: boolean): Promise<void> {
    const task = this.#items.referenceOf(awaited.item);
    if (task === undefined) return;
    const { testRun, item } = awaited;
    const key = taskKey(task);
    const active = this.#runs.activeOf(key);
    if (active !== undefined) {
      testRun.started(item);
      await this.#runs.ended(active);
      if (active.record !== null) conclude(awaited, active, active.record, false);
      return;
    }
    this.#awaited.set(key, awaited);
    try {
      let run = await this.#runs.startQuietly(task, { agent, attended });
      // One task is worth a question.
      if (attended && run !== undefined && 'code' in run && run.code === 'no_agent') run = await this.#runs.start(task);
      if (run === undefined) testRun.skipped(item);
      else if (!(run instanceof LiveRun)) refuse(awaited, run);
      else await this.#runs.ended(run);
    } finally {
      if (this.#awaited.get(key) === awaited) this.#awaited.delete(key);
    }
  }

  /** Shows a run as a test result: of the test run that asked for it, else of one of its own. */
  async #follow(run: LiveRun): Promise<void> {
    const asked = this.#awaited.get(taskKey(referenceTo(run.task)));
    const held: (() => void)[] = [];
    let tell = (action: () => void): void => void held.push(action);
    let result = asked;
    const say = (text: string): void => {
      const { testRun, item } = result as Awaited;
      testRun.appendOutput(`${text}\r\n`, undefined, item);
    };
    run.onEvent((event) => {
      tell(() => {
        for (const line of outputOf(event)) say(line);
        if (event.type !== 'ended') return;
        // A run that the person follows elsewhere says why it failed there: at the calls' lines and in the panel.
        conclude(result as Awaited, run, event.record, asked === undefined);
        if (asked === undefined) result?.testRun.end();
      });
    });
    if (result === undefined) {
      const item = await this.#items.itemOf(referenceTo(run.task));
      // A file that is merely open stands in no view.
      if (item === undefined) return;
      const request = new vscode.TestRunRequest([item], undefined, this.#profile);
      result = { item, testRun: this.#controller.createTestRun(request) };
    }
    const { testRun, item } = result;
    testRun.started(item);
    testRun.token.onCancellationRequested(() => run.cancel());
    for (const action of held) action();
    tell = (action) => action();
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function conclude({ testRun, item }: Awaited, run: LiveRun, record: RunRecord, silent: boolean): void {
  const { kind, messages } = outcomeOf(run.task, record);
  const shown = silent ? [] : messages.map(testMessage);
  if (kind === 'passed') testRun.passed(item, record.duration_ms);
  else if (kind === 'failed') testRun.failed(item, shown, record.duration_ms);
  else if (kind === 'errored') testRun.errored(item, shown, record.duration_ms);
  else testRun.skipped(item);
}

/** What keeps a task from running is its result. */
function refuse({ testRun, item }: Awaited, { file, range, message }: Refusal): void {
  testRun.errored(item, testMessage({ text: message, file, range, compared: null }));
}

function testMessage({ text, file, range, compared }: TestOutcomeMessage): vscode.TestMessage {
  const message =
    compared === null
      ? new vscode.TestMessage(text)
      : vscode.TestMessage.diff(text, compared.expected, compared.actual);
  if (range !== null) message.location = new vscode.Location(vscode.Uri.file(file), editorRange(range));
  return message;
}
