import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { presentHead } from '../../presentation/jobs/present.ts';
import { recordedJob } from '../../presentation/jobs/recorded-job.ts';
import { agentLabel } from '../../presentation/labels.ts';
import { isolateDirection, joinTexts, plainLabel } from '../../presentation/plain-text.ts';
import { plural } from '../../presentation/plural.ts';
import { age, verdictOf } from '../../presentation/runs/verdict.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import type { JobEntry, RunEntry, RunProblem } from '../../traces/store.ts';
import { Disposable, every } from '../lifecycle.ts';
import { COMMAND, VIEW } from '../names.ts';
import { paragraphs } from '../texts.ts';
import { verdictIcon } from '../verdict-icons.ts';
import type { RunHistory } from './history.ts';
import type { Runs } from './runs.ts';

/** Milliseconds between two updates of the displayed ages. */
const AGES_MS = 60_000;

/** A single run, one that cannot be read, or a job with its runs below it. */
type HistoryNode = RunEntry | RunProblem | JobEntry;

/** The view of past runs and jobs, newest first. */
export class HistoryTree extends Disposable implements vscode.TreeDataProvider<HistoryNode> {
  readonly #history: RunHistory;
  readonly #view: vscode.TreeView<HistoryNode>;
  readonly #changeEmitter = this.register(new vscode.EventEmitter<undefined>());

  readonly onDidChangeTreeData = this.#changeEmitter.event;

  constructor(history: RunHistory, runs: Runs) {
    super();
    this.#history = history;
    this.#view = this.register(vscode.window.createTreeView(VIEW.runs, { treeDataProvider: this }));
    this.registerAll(
      history.onDidChange(() => this.#changeEmitter.fire(undefined)),
      runs.onDidStart((run) => run.onEvent((event) => event.type === 'started' && history.refresh())),
      every(AGES_MS, () => this.#view.visible && this.#changeEmitter.fire(undefined)),
    );
  }

  async getChildren(node?: HistoryNode): Promise<HistoryNode[]> {
    if (node !== undefined) return isJob(node) ? [...unreadable(node), ...inOrder(node)] : [];
    await this.#history.load();
    const { entries, jobs, problem } = this.#history;
    this.#view.message = withoutCodeMarks(problem ?? '');
    this.#view.description = entries.length === 0 ? '' : String(entries.length);
    return jobs.flatMap((job): readonly HistoryNode[] =>
      recordedJob(job) === null ? [...unreadable(job), ...job.runs] : [job],
    );
  }

  getTreeItem(node: HistoryNode): vscode.TreeItem {
    if (isJob(node)) return jobItem(node);
    return 'run' in node ? runItem(node) : unreadableItem(node);
  }
}

function isJob(node: HistoryNode): node is JobEntry {
  return 'folder' in node;
}

/** The runs that are not among those of the job, because they cannot be read. */
function unreadable({ runs, problems }: JobEntry): RunProblem[] {
  const read = new Set(runs.map(({ traceDir }) => traceDir));
  return problems.filter(({ traceDir }) => !read.has(traceDir));
}

/** Failures first, then in the order of the plan. */
function inOrder(job: JobEntry): RunEntry[] {
  const place = new Map(job.plan?.runs.map(({ run_id }, index) => [run_id, index]));
  const rank = ({ run }: RunEntry): number => (run.status === 'error' ? 0 : run.success ? 2 : 1);
  return [...job.runs].sort(
    (a, b) => rank(a) - rank(b) || (place.get(a.run.run_id) ?? 0) - (place.get(b.run.run_id) ?? 0),
  );
}

const JOB_ICONS = { running: 'running', stopping: 'running', unfinished: 'interrupted' } as const;
const RESULT_ICONS = { none: 'cancelled', pass: 'passed', fail: 'partial', error: 'error' } as const;

function jobItem(entry: JobEntry): vscode.TreeItem {
  const job = recordedJob(entry);
  const head = job === null ? null : presentHead(job);
  const item = new vscode.TreeItem(head?.title ?? '', vscode.TreeItemCollapsibleState.Collapsed);
  item.id = entry.folder;
  if (head === null) return item;
  item.iconPath = verdictIcon(head.status === 'ended' ? RESULT_ICONS[head.headline.kind] : JOB_ICONS[head.status]);
  const ageText = age(Date.parse(entry.startedAt), Date.now());
  const progressText = head.ended < head.total ? `${head.ended}/${head.total}` : '';
  const { problems } = entry;
  const problemText =
    problems.length === 0
      ? ''
      : plural(problems.length, l10n.t('1 run cannot be read'), l10n.t('{0} runs cannot be read', problems.length));
  item.description = joinTexts([progressText, head.headline.text, problemText, ageText], ' · ');
  item.contextValue = `job ${head.status}`;
  const figures = [head.headline.text, ...head.figures.map(({ name, value }) => `${name} ${value}`)];
  item.tooltip = paragraphs([
    l10n.t('Job: {0}, {1} of {2} runs ended', head.title, head.ended, head.total),
    figures.join(', '),
    head.chips.join(', '),
    problemText,
  ]);
  item.command = { command: COMMAND.openJob, title: l10n.t('Open Job'), arguments: [{ folder: entry.folder }] };
  const progress = l10n.t('{0} of {1} runs ended', head.ended, head.total);
  const accessibleTexts = [l10n.t('job of {0}', head.title), head.status, progress, ...figures, problemText, ageText];
  item.accessibilityInformation = { label: joinTexts(accessibleTexts, ', ') };
  return item;
}

function unreadableItem({ traceDir, message }: RunProblem): vscode.TreeItem {
  const item = new vscode.TreeItem(isolateDirection(plainLabel(basename(traceDir))));
  item.id = traceDir;
  item.iconPath = verdictIcon('error');
  item.description = l10n.t('cannot be read');
  item.contextValue = 'run unreadable';
  item.tooltip = withoutCodeMarks(message);
  item.command = { command: COMMAND.openRun, title: l10n.t('Open Run'), arguments: [{ traceDir }] };
  item.accessibilityInformation = { label: l10n.t('run {0}, {1}', basename(traceDir), item.tooltip) };
  return item;
}

function runItem({ run, running, traceDir, agent, reasons, writtenAt }: RunEntry): vscode.TreeItem {
  const verdict = verdictOf(running ? { ...run, status: 'running' } : run);
  const ageText = age(Date.parse(run.started_at), Date.now());
  const agentName = agentLabel(agent, run.task_id);
  const item = new vscode.TreeItem(isolateDirection(plainLabel(run.task_id)));
  item.id = traceDir;
  item.iconPath = verdictIcon(verdict.kind);
  const mark = run.edited ? [l10n.t('edited')] : run.debugged ? [l10n.t('debugged')] : [];
  const keptLabel = run.kept ? [l10n.t('kept')] : [];
  item.description = [verdict.text, ...mark, ...keptLabel, agentName, ageText].join(' · ');
  // An interrupted run has no record to mark as kept, and its job is not removed.
  const keeping = writtenAt === null ? '' : run.kept ? ' kept' : ' unkept';
  item.contextValue = running ? 'run running' : `run ended${keeping}`;
  const startedAt = new Date(run.started_at).toLocaleString();
  const steps = plural(run.steps, l10n.t('1 step'), l10n.t('{0} steps', run.steps));
  item.tooltip = paragraphs([
    l10n.t('{0} in {1}: {2}', run.task_id, basename(run.file), verdict.accessibleText),
    [startedAt, steps, l10n.t('agent {0}', agentName)].join(', '),
    run.kept ? l10n.t('Kept: this run is not removed when it is old.') : '',
    withoutCodeMarks(reasons),
  ]);
  item.command = { command: COMMAND.openRun, title: l10n.t('Open Run'), arguments: [{ traceDir }] };
  const { accessibleText } = verdict;
  const label = l10n.t('run of {0}, {1}, agent {2}, {3}', run.task_id, accessibleText, agentName, ageText);
  item.accessibilityInformation = { label: [label, ...keptLabel].join(', ') };
  return item;
}
