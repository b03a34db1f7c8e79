import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { textOf } from '../../base/json.ts';
import { list } from '../../functions/words.ts';
import { text } from '../../tasks/key-docs.ts';
import { placeholder } from '../../tasks/snippet.ts';
import { BROWSER_IMAGE, type Choice, type GymType, type Kind } from '../kind.ts';
import {
  BENCHMARKS,
  customTaskName,
  isBrowserGym,
  isCustomTask,
  isOtherBenchmark,
  RUN_BENCHMARKS,
} from './browsergym/browsergym.ts';
import { customTaskDoc } from './browsergym/custom-task-docs.ts';
import { browserProblems } from './browsergym/problems.ts';
import { inBrowserGym, miniwobTasks } from './miniwob/tasks.ts';

/** A browser with one page to act on. */
export const browser: Kind = {
  name: 'browser',
  types: {
    'hud-browser': {
      doc: 'A browser with one page to act on. This version runs it.',
      written: 'name',
      common: true,
      ordinary: true,
    },
    browsergym: {
      doc: 'A task of BrowserGym: `benchmark` and `task_name`. This version runs MiniWoB++ (`miniwob`), which gives the goal and the reward, and your own tasks in code (`custom`).',
      written: 'object',
      keys: {
        type: text('The kind of environment.', 'browsergym'),
        benchmark: text(
          'The benchmark. This version runs `miniwob`, MiniWoB++, and `custom`: your own tasks in code.',
          'miniwob',
          { required: true },
        ),
        task_name: text(
          'The task in it: the name of its page, or the name that `registerCustomTask`, or in Python `register_custom_task`, was given.',
          'click-test',
          { required: true },
        ),
        success: {
          doc: 'When a run of MiniWoB++ counts as a success: `positive` is any raw reward above 0, as in BrowserGym, `full` only 1.',
          shape: '`positive` or `full`',
          example: 'full',
        },
      },
      values: { benchmark: benchmarkChoices, task_name: (gym, user) => taskChoices(gym, user) },
      common: true,
    },
  },
  whyUnsupported(spec) {
    if (!isOtherBenchmark(spec)) return null;
    const runs = list(RUN_BENCHMARKS.map((name) => `“${name}”`));
    return `This version of Taskwright does not run BrowserGym's benchmark “${spec['benchmark']}” yet; it runs ${runs}`;
  },
  problems: browserProblems,
  provides: ['page'],
  calls: 'functions',
  templates: [
    {
      label: l10n.t('task in a browser'),
      detail: 'hud-browser',
      doc: l10n.t('A task on a web page: the page to open, the prompt, and the text that the page must show.'),
      task: {
        id: placeholder('id'),
        prompt: placeholder('What the agent should do'),
        gym: 'hud-browser',
        setup: ['goto', placeholder('page.html')],
        evaluate: ['page_contains', placeholder('text')],
      },
    },
    {
      label: l10n.t('task of MiniWoB++'),
      detail: 'browsergym',
      doc: l10n.t('A task of a BrowserGym benchmark, which provides the goal and the reward.'),
      task: {
        id: placeholder('id'),
        gym: { type: 'browsergym', benchmark: 'miniwob', task_name: placeholder('click-test') },
      },
    },
    {
      label: l10n.t('task in code'),
      detail: 'custom',
      doc: l10n.t('A task whose page and reward are defined by a class in a `*.functions.ts` file.'),
      task: {
        id: placeholder('id'),
        prompt: placeholder('What the agent should do'),
        gym: { type: 'browsergym', benchmark: 'custom', task_name: placeholder('name') },
      },
    },
  ],
  suggestedCalls: [
    { function: 'page_contains', args: ['Thank you'] },
    { function: 'element_exists', args: ['#done'] },
    { function: 'text_matches', args: ['#total', '\\d+'] },
    { function: 'url_contains', args: ['/done'] },
    { function: 'cookie_exists', args: ['session'] },
    { function: 'response_includes', args: ['the answer'] },
  ],
  givesGoal: isBrowserGym,
  givesReward: isBrowserGym,
  // The benchmarks of BrowserGym use its syntax.
  dialect: (spec) => (isBrowserGym(spec) && !isCustomTask(spec) ? 'browsergym' : 'own'),
  tools: 'page',
  view: { icon: 'globe', shows: 'screenshot', keyboardTarget: l10n.t('Keyboard goes to the page') },
  rescoring: 'page',
  hasDataTasks: true,
  needsBrowser: true,
  reusesProcess: true,
  image: BROWSER_IMAGE,
  needsMiniwob: (spec) => isBrowserGym(spec) && !isCustomTask(spec),
  userTask: (spec) => (isCustomTask(spec) ? textOf(customTaskName(spec)) : null),
};

const BENCHMARK_DETAILS: Readonly<Record<string, string>> = {
  miniwob: 'MiniWoB++',
  custom: l10n.t('user-defined, in code'),
};

function benchmarkChoices(): readonly Choice[] {
  return BENCHMARKS.map((value) => ({
    value,
    detail: BENCHMARK_DETAILS[value] ?? l10n.t('not supported by this version'),
    rank: RUN_BENCHMARKS.includes(value) ? 1 : 4,
  }));
}

const taskChoices: NonNullable<GymType['values']>[string] = ({ benchmark }, { customTasks }) => {
  if (benchmark === 'custom') {
    return [...(customTasks?.tasks.values() ?? [])].map((task) => ({
      value: task.name,
      detail: basename(task.file),
      doc: customTaskDoc(task),
      rank: 2,
    }));
  }
  if (benchmark !== undefined && benchmark !== 'miniwob') return [];
  return miniwobTasks.map((value) => ({ value, ...(inBrowserGym(value) ? {} : { detail: 'not in BrowserGym' }) }));
};
