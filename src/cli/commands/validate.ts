import { existsSync, statSync } from 'node:fs';
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ActionDialect } from '../../actions/normal.ts';
import { withLineFeeds } from '../../base/lines.ts';
import { runToEnd } from '../../base/slices.ts';
import { actionDialect } from '../../environments/kinds.ts';
import { applySafeFixes } from '../../language/actions/safe-fixes.ts';
import { namesAcross, sharedFindings } from '../../language/findings/across.ts';
import { diagnose } from '../../language/findings/diagnose.ts';
import { brokenModules } from '../../language/findings/modules.ts';
import { diagnoseSolution } from '../../language/solutions/findings.ts';
import { displayPath } from '../../runs/selection/display-path.ts';
import { findDoubleRegistrations } from '../../runs/selection/registry.ts';
import { noTasks, type Selection, select, selectedTasks } from '../../runs/selection/select-tasks.ts';
import { checkModulesIn, UserFunctionNames } from '../../runs/selection/selected-task.ts';
import { solutionsBeside } from '../../runs/solutions/solution-file.ts';
import { asUsageError } from '../../runs/usage-error.ts';
import { findTaskFiles, loadFoundTaskFile, readBytes, TaskFileError } from '../../tasks/discover.ts';
import type { Finding } from '../../tasks/finding.ts';
import { byPosition } from '../../tasks/rows.ts';
import type { Severity } from '../../tasks/severity.ts';
import { type Command, type CommandContext, EXIT, orCannotWrite } from '../command.ts';
import { countText } from '../report.ts';

const SOLUTION = /\.actions$/;
const COLOURS = { error: 'red', warning: 'yellow', information: 'blue', hint: 'dim' } as const;

async function run({ positionals, values, cwd, json, output }: CommandContext): Promise<number> {
  const solutionPaths = positionals.filter((path) => SOLUTION.test(path));
  const others = positionals.filter((path) => !SOLUTION.test(path));
  const selectTasks = async (): Promise<Selection> =>
    solutionPaths.length > 0 && others.length === 0
      ? { addresses: [], files: [], selections: [] }
      : await select(others, cwd);
  let selection = await selectTasks();
  if (values['fix'] === true) {
    const fixCount = await fix(selection, cwd, values['likely'] === true);
    output.note(`${countText(fixCount, 'problem')} fixed.`);
    if (fixCount > 0) selection = await selectTasks();
  }
  const { files } = selection;
  const isRequested = isSelected(selection);
  const namesByFile = runToEnd(namesAcross(files.map(({ file }) => file)));
  const ofTasks = files
    .flatMap(({ file, userFunctions }) =>
      [...diagnose(file, userFunctions), ...sharedFindings(namesByFile.get(file.file) ?? [])].sort(byPosition),
    )
    .filter(isRequested);
  // After `diagnose`, which reads each row: from then on its id is known.
  const solutions = await solutionsOf(selection, solutionPaths, cwd);
  const paths = others.map((path) => resolve(cwd, path)).filter((path) => existsSync(path));
  const folders = new Set(files.map(({ file }) => dirname(file.file)));
  const modules = await Promise.all([...folders].map((folder) => checkModulesIn(folder)));
  const ofCode = [
    ...(await findDoubleRegistrations(paths, new UserFunctionNames())),
    ...brokenModules(modules.flatMap(({ broken }) => broken)),
  ];
  const findings = [...ofTasks, ...ofCode, ...(await Promise.all([...solutions].map(checkSolution))).flat()];
  const isEmpty = countOf(selection) === 0 && solutions.size === 0;
  if (isEmpty && findings.length === 0) throw noTasks(selection);
  const withFixes = values['fixes'] === true;
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  if (json) {
    output.json(
      findings.map(({ file, range, severity, code, message, task_id, fixes }) => {
        const of = task_id === undefined ? {} : { task_id };
        return { file, range, severity, code, message, ...of, ...(withFixes ? { fixes: fixes?.() ?? [] } : {}) };
      }),
    );
  } else {
    for (const { file, range, severity, code, message, fixes } of findings) {
      const position = `${displayPath(file, cwd)}:${range.start.line + 1}:${range.start.character + 1}`;
      output.print(
        `${position}: ${output.paint(COLOURS[severity], severity)}: ${message} ${output.paint('dim', `(${code})`)}`,
      );
      if (withFixes) for (const { title } of fixes?.() ?? []) output.print(`    fix: ${title}`);
    }
    const count = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length;
    const checkedSolutions = solutions.size === 0 ? '' : `, ${countText(solutions.size, 'solution')}`;
    output.note(
      `${countText(countOf(selection), 'task')} in ${countText(files.length, 'file')}${checkedSolutions}: ${countText(errors, 'error')}, ${countText(count('warning'), 'warning')}`,
    );
  }
  return errors > 0 || (isEmpty && values['allow-empty'] !== true) ? EXIT.badUse : EXIT.fine;
}

/** The solutions given as paths, and those of the selected tasks, with how the environments of their tasks read actions. */
async function solutionsOf(
  { selections }: Selection,
  paths: readonly string[],
  cwd: string,
): Promise<ReadonlyMap<string, ActionDialect>> {
  const solutions = new Map<string, ActionDialect>();
  for (const path of paths) solutions.set(resolve(cwd, path), { dialect: 'own' });
  const folders = new Set([...solutions.keys()].map((path) => dirname(path)));
  for (const path of await findTaskFiles([...folders].filter(isFolder))) {
    if (!folders.has(dirname(path))) continue;
    const { rows } = await loadFoundTaskFile(path);
    for (const solution of solutionsBeside(path, rows)) {
      const { task } = solution.task;
      if (task !== null && solutions.has(solution.path)) solutions.set(solution.path, actionDialect(task.env));
    }
  }
  for (const { file, rows } of selections) {
    for (const { task, path } of solutionsBeside(file.file, rows)) {
      if (task.task !== null) solutions.set(path, actionDialect(task.task.env));
    }
  }
  return solutions;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function checkSolution([path, dialect]: readonly [string, ActionDialect]): Promise<readonly Finding[]> {
  try {
    return diagnoseSolution(path, (await readBytes(path)).toString('utf8'), dialect);
  } catch (error) {
    throw asUsageError(error, TaskFileError);
  }
}

/** Whether a finding is about a selected task or about its file as a whole. */
function isSelected(selection: Selection): (finding: Finding) => boolean {
  const rows = selection.files.reduce((sum, { file }) => sum + file.rows.length, 0);
  if (countOf(selection) === rows) return () => true;
  const tasks = new Set(selectedTasks(selection).map(({ file, row }) => `${file.file}#${row.index}`));
  return ({ file, task_index }) => task_index === undefined || tasks.has(`${file}#${task_index}`);
}

function countOf({ selections }: Selection): number {
  return selections.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Fixes the files in place. Resolves with the number of fixed problems. */
async function fix(selection: Selection, cwd: string, likely: boolean): Promise<number> {
  const isRequested = isSelected(selection);
  let count = 0;
  for (const { file, userFunctions } of selection.files) {
    const path = file.file;
    const bytes = await readFile(path);
    const text = bytes.toString('utf8');
    // Writing would change bytes that are not text; validation reports them.
    if (!Buffer.from(text, 'utf8').equals(bytes)) continue;
    const result = runToEnd(applySafeFixes(path, withLineFeeds(text), userFunctions, isRequested, likely));
    if (result.fixCount === 0) continue;
    const isOfCarriageReturns = text.includes('\r') && !text.includes('\n');
    const fixedText = isOfCarriageReturns ? result.text.replaceAll('\n', '\r') : result.text;
    await orCannotWrite(displayPath(path, cwd), () => replace(path, fixedText));
    count += result.fixCount;
  }
  return count;
}

/** Replaces the file atomically, so that concurrent readers see the old or the new text. */
async function replace(path: string, text: string): Promise<void> {
  // Keeps symbolic links.
  const target = await realpath(path);
  const part = `${target}.${process.pid}.part`;
  try {
    await writeFile(part, text, { flag: 'wx', mode: (await stat(target)).mode });
    await rename(part, target);
  } finally {
    await rm(part, { force: true });
  }
}

export const validate: Command = {
  name: 'validate',
  summary: 'Validates task files and their solutions without running them.',
  usage: 'PATH... [--fix [--likely]] [--fixes] [--json]',
  tasks: { none: [] },
  help: [
    ['--fix', 'Apply all fixes that do not change what a task means, and print the remaining problems'],
    ['--likely', 'With --fix, also apply the likeliest fix of each other problem'],
    ['--fixes', 'Also print the possible fixes of each problem'],
    ['--json', 'Print the problems as JSON: file, range, severity, code, message, task_id'],
  ],
  run,
};
