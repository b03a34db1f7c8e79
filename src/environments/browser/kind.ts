import { list } from '../../functions/words.ts';
import { text } from '../../tasks/key-docs.ts';
import { BROWSER_IMAGE, type Kind, textOf } from '../kind.ts';
import { isBrowserGym, isCustomTask, isOtherBenchmark, RUN_BENCHMARKS } from './browsergym.ts';

/** A browser with one page to act on. */
export const browser: Kind = {
  name: 'browser',
  types: {
    'hud-browser': {
      doc: 'A browser with one page to act on. This version runs it.',
      written: 'name',
      common: true,
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
          'The task in it: the name of its page, or the name that `registerCustomTask` was given.',
          'click-test',
          { required: true },
        ),
        success: {
          doc: 'When a run of MiniWoB++ counts as a success: `positive` is any raw reward above 0, as in BrowserGym, `full` only 1.',
          shape: '`positive` or `full`',
          example: 'full',
        },
      },
      common: true,
    },
  },
  unsupported(spec) {
    if (!isOtherBenchmark(spec)) return null;
    const runs = list(RUN_BENCHMARKS.map((name) => `“${name}”`));
    return `This version of Taskwright does not run BrowserGym's benchmark “${spec['benchmark']}” yet; it runs ${runs}`;
  },
  provides: ['page'],
  calls: 'functions',
  checks: [
    { function: 'page_contains', args: ['Thank you'] },
    { function: 'element_exists', args: ['#done'] },
    { function: 'text_matches', args: ['#total', '\\d+'] },
    { function: 'url_contains', args: ['/done'] },
    { function: 'cookie_exists', args: ['session'] },
    { function: 'response_includes', args: ['the answer'] },
  ],
  givesGoal: isBrowserGym,
  givesReward: isBrowserGym,
  // BrowserGym's own benchmarks as BrowserGym reads them.
  dialect: (spec) => (isBrowserGym(spec) && !isCustomTask(spec) ? 'browsergym' : 'own'),
  responseEnds: false,
  view: { icon: 'globe', shows: 'screenshot', surface: 'page' },
  rescoring: 'page',
  needsBrowser: true,
  reusesProcess: true,
  image: BROWSER_IMAGE,
  needsMiniwob: (spec) => isBrowserGym(spec) && !isCustomTask(spec),
  userTask: (spec) => (isCustomTask(spec) ? textOf(spec['task_name']) : null),
};
