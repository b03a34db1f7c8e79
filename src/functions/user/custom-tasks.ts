import type { Node } from 'web-tree-sitter';
import { readOrdinaryFile } from '../../base/file-kind.ts';
import { Lines } from '../../base/lines.ts';
import { loadPython } from '../../tasks/formats/python/grammar.ts';
import type { CustomTaskName } from './custom-task-name.ts';
import { functionsFiles, isPython, pythonFiles } from './files.ts';
import { mayRegister, mayUseRegistry, taskClassFiles } from './python/class-files.ts';
import { type DescribedTask, isOnlyInside, pythonRegistrations } from './python/registrations.ts';
import { modulePaths, taskModule } from './task-module.ts';
import { childrenOf, docOf, loadTypeScript, readTypeScript, stringValue, unwrap } from './typescript.ts';

export type { CustomTaskName } from './custom-task-name.ts';

/** The custom tasks of a folder, read from the texts of its files. */
export interface CustomTaskNames {
  readonly tasks: ReadonlyMap<string, CustomTaskName>;
  /** Further registrations of names in `tasks`. */
  readonly doubles?: readonly CustomTaskName[];
  /** The tasks in OpenEnv's registry. */
  readonly descriptions?: readonly DescribedTask[];
  /** Whether no imported file and no computed name can register more tasks. */
  readonly complete: boolean;
  /** Why the module in `OPENENV_TASK_MODULE` cannot be loaded. */
  readonly refusal: string | null;
}

const IMPORTS = /\b(?:from|import|require)\s*\(?\s*['"]\.{1,2}\//;

/**
 * Finds the custom tasks that the functions files of a folder, the module in `OPENENV_TASK_MODULE`, and Python files
 * register. `read` returns null for a file that cannot be read. Rejects if the folder cannot be listed.
 */
export async function findCustomTasks(
  folder: string,
  read: (file: string) => Promise<string | null>,
): Promise<CustomTaskNames> {
  const tasks = new Map<string, CustomTaskName>();
  const doubles: CustomTaskName[] = [];
  const add = (task: CustomTaskName): void => {
    if (tasks.has(task.name)) doubles.push(task);
    else tasks.set(task.name, task);
  };
  const descriptions: DescribedTask[] = [];
  let complete = true;
  const module = await taskModule(folder);
  for (const file of new Set([...(await functionsFiles(folder)), ...modulePaths(module)])) {
    if (isPython(file)) continue;
    const text = await read(file);
    if (text === null || IMPORTS.test(text)) complete = false;
    const fileTasks = text === null ? null : await registrations(text, file);
    if (fileTasks === null) complete = false;
    for (const task of fileTasks ?? []) add(task);
  }
  for (const file of new Set([...(await pythonFiles(folder)), ...modulePaths(module).filter(isPython)])) {
    const text = (await read(file)) ?? '';
    if (!mayRegister(text) && !mayUseRegistry(text)) continue;
    await loadPython();
    const result = pythonRegistrations(text, file);
    if (!result.complete) complete = false;
    descriptions.push(...result.descriptions);
    for (const task of result.tasks) add(task);
  }
  return {
    tasks: withGoals(tasks, descriptions),
    doubles,
    descriptions,
    complete,
    refusal: module !== null && 'refusal' in module ? module.refusal : null,
  };
}

/**
 * Whether the class of a custom task is in a Python file of the folder: where its name is not in the texts of the files,
 * whether one of them can register it.
 */
export async function isPythonClass(folder: string, name: string): Promise<boolean> {
  const read = (file: string): Promise<string | null> => readOrdinaryFile(file).then(String, () => null);
  const task = (await findCustomTasks(folder, read)).tasks.get(name);
  return task?.python ?? (await taskClassFiles(folder)).length > 0;
}

/** The goal of a registration applies to a class of the same name that has none. */
function withGoals(
  tasks: ReadonlyMap<string, CustomTaskName>,
  descriptions: readonly DescribedTask[],
): ReadonlyMap<string, CustomTaskName> {
  const withGoal = new Set(
    descriptions.flatMap(({ id, config }) => ('goal' in config ? [id, id.replace(/^[^/]*\//, '')] : [])),
  );
  const entries = [...tasks].map(([name, task]) => {
    return [name, task.python && withGoal.has(name) ? { ...task, hasGoal: true } : task] as const;
  });
  return new Map(entries);
}

/** The tasks that a TypeScript or JavaScript file registers; null if a name or a call is only known at run time. */
async function registrations(text: string, file: string): Promise<CustomTaskName[] | null> {
  if (!text.includes('registerCustomTask')) return [];
  await loadTypeScript();
  const lines = new Lines(text);
  return readTypeScript(text, (program) => {
    const classes = program.descendantsOfType(CLASSES).map(readClass);
    const tasks: CustomTaskName[] = [];
    let certain = true;
    for (const call of program.descendantsOfType('call_expression')) {
      if (!/(?:^|\.)registerCustomTask$/.test(call.childForFieldName('function')?.text ?? '')) continue;
      const list = call.childForFieldName('arguments');
      const [literal, value] = list === null ? [] : childrenOf(list);
      const name = stringValue(literal ?? null);
      if (literal === undefined || value === undefined || name === null || !isOnlyInside(call, ALWAYS_RUN)) {
        certain = false;
        continue;
      }
      const classNode = unwrap(value);
      const taskClass = classes.find(({ node, name }) => node.id === classNode?.id || name?.text === classNode?.text);
      const place = taskClass?.name ?? literal;
      tasks.push({
        name,
        file,
        range: lines.range(place.startIndex, place.endIndex),
        nameRange: lines.range(literal.startIndex + 1, literal.endIndex - 1),
        class: taskClass?.name?.text ?? null,
        doc: taskClass === undefined ? null : docOf(taskClass.node),
        python: false,
        ...checkClass(taskClass, classes),
      });
    }
    return certain || tasks.length > 0 ? tasks : null;
  });
}

/** What an expression is inside of that is always evaluated with its file: declarations and plain statements. */
const ALWAYS_RUN = new Set([
  'program',
  'expression_statement',
  'export_statement',
  'lexical_declaration',
  'variable_declaration',
  'variable_declarator',
]);

const CLASSES = ['class_declaration', 'abstract_class_declaration', 'class'];

/** A class in a file. */
interface ClassText {
  readonly node: Node;
  readonly name: Node | null;
  /** The name of the class that it extends; empty if that is not a name. */
  readonly base: string | null;
  /** Names of its methods and fields that are neither `static` nor `abstract`. */
  readonly members: ReadonlySet<string>;
}

const NEEDED = ['html', 'reward', 'done'];

/** Finds certain problems of a class, including its base classes in the file. */
function checkClass(
  taskClass: ClassText | undefined,
  classes: readonly ClassText[],
): Pick<CustomTaskName, 'wrong' | 'hasGoal'> {
  const members = new Set<string>();
  const visited = new Set<ClassText>();
  for (let one = taskClass; one !== undefined && !visited.has(one); ) {
    visited.add(one);
    for (const member of one.members) members.add(member);
    const { base } = one;
    if (base === null) return { wrong: 'does not extend CustomBrowserTask', hasGoal: null };
    if (base === 'CustomBrowserTask') {
      const missing = NEEDED.find((method) => !members.has(method));
      return { wrong: missing === undefined ? null : `has no method ${missing}()`, hasGoal: members.has('goal') };
    }
    one = classes.find(({ name }) => name?.text === base);
  }
  return { wrong: null, hasGoal: null };
}

function readClass(node: Node): ClassText {
  const heritage = childrenOf(node).find(({ type }) => type === 'class_heritage');
  const extendsClauses =
    heritage === undefined ? [] : childrenOf(heritage).filter(({ type }) => type === 'extends_clause');
  const base = extendsClauses[0]?.childForFieldName('value') ?? null;
  const body = node.childForFieldName('body');
  const members = (body === null ? [] : childrenOf(body)).filter(
    (member) => !member.type.startsWith('abstract') && !member.children.some(({ type }) => NOT_OF_INSTANCES.has(type)),
  );
  return {
    node,
    name: node.childForFieldName('name'),
    base: base === null ? null : (/[\w$]*$/.exec(base.text)?.[0] ?? ''),
    members: new Set(members.map((member) => member.childForFieldName('name')?.text ?? '')),
  };
}

const NOT_OF_INSTANCES = new Set(['static', 'abstract']);
