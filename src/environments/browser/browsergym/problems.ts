import { isObject } from '../../../base/json.ts';
import { didYouMean, nearestWord } from '../../../base/nearest.ts';
import { dialogAnswersIn } from '../../../tasks/dialog-answers.ts';
import { unknownKeys } from '../../../tasks/known-keys.ts';
import { error, type Problem } from '../../../tasks/problem.ts';
import { changeTo } from '../../../tasks/value-fixes.ts';
import type { CheckedTask } from '../../kind.ts';
import { miniwobTasks, SUCCESS_RULES } from '../miniwob/tasks.ts';
import { missingStartPage } from '../pages/page-problems.ts';
import { BENCHMARKS, isBrowserGym, isCustomTask } from './browsergym.ts';
import { customTaskProblems } from './custom-task-problems.ts';

const KEYS = ['type', 'benchmark', 'task_name', 'success'] as const;
/** Keys for a start page, which tasks with their own page do not use. */
const OTHER_PAGES = ['start_url', 'html', 'html_file'];

/** Problems of a browser task: its start page; in BrowserGym its benchmark, the name of the task, the success rule. */
export function browserProblems({ row, fields, user }: CheckedTask): Problem[] {
  const { env, initial_state: state, prompt } = fields;
  if (!isBrowserGym(env)) return missingStartPage(row, user.beside);
  const { gym } = row;
  const at = isObject(gym) ? (['gym'] as const) : [];
  const custom = isCustomTask(env);
  const keys = custom ? KEYS.filter((key) => key !== 'success') : KEYS;
  const problems: Problem[] = isObject(gym) ? unknownKeys(gym, keys, ['gym']) : [];
  const check = (key: (typeof KEYS)[number], words: readonly string[], missing: string): void => {
    const value = env[key];
    if (typeof value === 'string' && words.includes(value)) return;
    const near = typeof value === 'string' ? nearestWord(value, words) : null;
    const suggestion = near ?? (words.length === 1 ? words[0] : undefined);
    problems.push({
      path: value === undefined ? [...at] : [...at, key],
      severity: 'error',
      code: 'benchmark-task',
      message:
        value === undefined
          ? missing
          : `${missing.replace(/:.*/, '')}, not ${JSON.stringify(value)}${didYouMean(near)}`,
      ...(suggestion === undefined
        ? {}
        : { fixes: [{ title: `Change to “${suggestion}”`, changes: [{ set: [...at, key], value: suggestion }] }] }),
    });
  };
  check('benchmark', BENCHMARKS, '"benchmark" names a benchmark of BrowserGym: "miniwob" and "custom" run here');
  if (custom) problems.push(...customTaskProblems(env, prompt ?? '', at, user));
  if (env['benchmark'] === 'miniwob') {
    check('task_name', miniwobTasks, '"task_name" names a task of MiniWoB++: "click-test", for example');
    if (env['success'] !== undefined) check('success', SUCCESS_RULES, '"success" is "positive" or "full"');
  }
  if (dialogAnswersIn(fields.metadata) === 'ask') {
    const path = ['metadata', 'dialogs'];
    const message =
      'Tasks of BrowserGym cannot ask, because its agents have no action for dialogs. Write "accept" or "dismiss"';
    problems.push(error('bad-dialogs', path, message, changeTo(path, 'accept'), changeTo(path, 'dismiss')));
  }
  const ignoredKey = Object.keys(state).find((key) => !custom || OTHER_PAGES.includes(key));
  if (ignoredKey !== undefined) {
    const inner = row['initial_state'];
    const others = custom ? [] : ['cookies', 'local_storage', 'localStorage'];
    const key = [...OTHER_PAGES, ...others].find((one) => one in row);
    problems.push({
      path: key === undefined && isObject(inner) ? ['initial_state'] : key === undefined ? [] : [key],
      part: 'key',
      severity: 'warning',
      code: 'benchmark-start',
      message: `A ${custom ? 'custom' : 'benchmark’s'} task begins on its own page: this is not read`,
    });
  }
  return problems;
}
