import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openRun } from '../../../src/traces/store.ts';
import type { Run, Step } from '../../../src/traces/trace.ts';
import { itLong } from '../../sample.ts';
import { temporaryFolder } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { hasPython } from '../python.ts';
import { place, task } from '../server/harness.ts';
import { shareCommandLine } from './in-process.ts';
import { start } from './program.ts';

const cli = shareCommandLine();

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
});

interface Ran {
  readonly code: number | null;
  readonly runs: readonly Run[];
  readonly err: string;
}

/** With variables in a process of its own. */
async function run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran> {
  const words = ['run', ...args, '--json'];
  const { code, out, err } =
    environment === undefined ? await cli(words, folder) : await start(words, folder, environment).ended;
  return { code, runs: (JSON.parse(out) as { runs: Run[] }).runs, err };
}

async function stepsOf(one: Run | undefined): Promise<readonly Step[]> {
  const steps = await (await openRun(one?.trace_dir ?? '')).steps();
  return steps.filter(({ source }) => source === 'agent');
}

const PAGE =
  '<title>Count</title><button id=go onclick="n.textContent++">Go</button> <b id=n>0</b> <p hidden>Success!</p>';

/** A class of the proposal's text, with these lines in place of its methods or beside them. */
const count = (
  lines = '',
  head = 'from browsergym_env.server.custom.custom_base import CustomBrowserGymEnvironment',
) => `
import json
${head}

@register_custom_task("count")
class Count(CustomBrowserGymEnvironment):
    task_name = "count"
    max_steps = 10

    def _get_html_content(self):
        return '''${PAGE}'''

    def _calculate_reward(self, page_data, action, error):
        return -0.1 if error else int(page_data["text"].split()[-1]) / 4

    def _check_done(self, page_data):
        return False

${lines.replace(/^/gm, '    ')}
`;
const HEADED =
  'from browsergym_env.server.custom.custom_base import CustomBrowserGymEnvironment\nfrom browsergym_env.server.custom.custom_tasks import register_custom_task';

const GYM = { type: 'browsergym', benchmark: 'custom', task_name: 'count' };

async function write(
  text: string,
  { row = {}, actions = ["click('#go')"], file = 'my_task.py', to = folder } = {},
): Promise<void> {
  await mkdir(dirname(join(to, file)), { recursive: true });
  await writeFile(join(to, file), text);
  await writeFile(join(to, 'count.task.json'), JSON.stringify({ id: 'count', prompt: 'Count.', gym: GYM, ...row }));
  await writeFile(join(to, 'count.actions'), actions.join('\n'));
}

/** Runs classes that are each in a folder of their own, by a name that sorts as they are listed. */
async function runEach(texts: readonly string[]): Promise<readonly Run[]> {
  for (const [index, text] of texts.entries()) {
    const to = join(folder, `task-${index}`);
    await write(text, { to });
    await writeFile(join(to, 'cards.py'), 'ONE = 1\n');
  }
  return (await run(['.', '--concurrency', '3'])).runs;
}

describe.runIf(hasPython('task classes in Python', 'playwright'))('taskwright run of a task class in Python', () => {
  it('solves the two tasks of the proposal, which give their prompts and rewards', async () => {
    await cp(join(root, 'examples', 'python-tasks'), folder, { recursive: true });
    const { code, runs, err } = await run(['python.tasks.json']);
    expect(code, err).toBe(0);
    expect(runs.map(({ task_id, reward, steps }) => [task_id, reward, steps])).toEqual([
      ['copy-paste-python', 1, 2],
      ['copy-paste-multitab', 1, 3],
    ]);
    expect(err).not.toContain('Warning');
    const { header } = await openRun(runs[0]?.trace_dir ?? '');
    expect(header.prompt).toMatch(/^Copy the text of the first field/);
    expect((await stepsOf(runs[0])).map(({ reward }) => reward)).toEqual([0.5, 1]);
    expect((await stepsOf(runs[1])).map(({ reward }) => reward)).toEqual([0.3, 0.6, 1]);
  });

  it('tells that a success text is in the page from the start, as in the proposal’s own class', async () => {
    await cp(join(root, 'examples', 'python-tasks'), folder, { recursive: true });
    const text = await readFile(join(folder, 'custom_tasks.py'), 'utf8');
    await writeFile(join(folder, 'custom_tasks.py'), text.replace(' if await success.is_visible() else ""', ''));
    await writeFile(join(folder, 'copy-paste-python.actions'), 'scroll(down)');
    const { runs, err } = await run(['python.tasks.json#copy-paste-python']);
    expect(runs[0]).toMatchObject({ reward: 1, steps: 1 });
    const warning = '_check_done() is true for the first page, before the agent has acted';
    expect(err).toContain(warning);
    expect(await readFile(join(runs[0]?.trace_dir ?? '', 'run.json'), 'utf8')).toContain(warning);
  });

  it('gives the class the page, the actions, and an empty error', async () => {
    const lines = `
async def _extract_observation(self, page):
    return {"text": "own", "custom_data": {"bold": await page.locator("b").count(), "page": self._page is page}}

async def _calculate_reward(self, page_data, action, error):
    title = await self._page.title()
    known = [page_data[key] for key in ("url", "title", "text", "custom_data")]
    raise ValueError(json.dumps([*known, "Success!" in page_data["content"], action, error, title, self._state.step_count]))
`;
    await write(count(lines, HEADED));
    const { runs } = await run(['count.task.json']);
    const seen = `["http://task.localhost/", "Count", "own", {"bold": 1, "page": true}, true, "click('#go')", "", "Count", 1]`;
    expect(runs[0]?.error?.message).toContain(
      `The custom task “count” (my_task.py:27): _calculate_reward() failed: ValueError: ${seen}`,
    );
  });

  it('judges the first page without an effect on the episode', async () => {
    const lines = `
def __init__(self):
    self.actions, self.lock = [], __import__("threading").Lock()

def _calculate_reward(self, page_data, action, error):
    self.actions.append(action)
    page_data["custom_data"]["seen"] = True
    return len(self.actions)`;
    await write(count(lines, HEADED), { actions: ["click('#go')", "click('#go')"] });
    const { runs } = await run(['count.task.json']);
    expect((await stepsOf(runs[0])).map(({ reward }) => reward)).toEqual([1, 2]);
  });

  it('gives a synchronous method the synchronous page', async () => {
    await write(count('def _extract_observation(self, page):\n    return {"text": page.inner_text("#n")}', HEADED), {
      actions: ["click('#go')", "click('#nowhere')", 'click("#go")'],
    });
    const { runs } = await run(['count.task.json']);
    expect((await stepsOf(runs[0])).map(({ reward }) => reward)).toEqual([0.25, -0.1, 0.5]);
  });

  it('resolves the names of the proposal’s modules, absolute and relative, of modules beside it, and no names', async () => {
    const heads = [
      HEADED,
      HEADED.replaceAll('browsergym_env', 'envs.browsergym_env'),
      HEADED.replaceAll('browsergym_env.server.custom.', '.'),
      HEADED.replaceAll('browsergym_env.server.custom.', '..'),
      '',
      `${HEADED}\nimport cards\nfrom .cards import ONE\nfrom custom_tasks.cards import ONE`,
      `${HEADED}\nfrom openenv.core.tasks import registry\nfrom openenv.core.env_server.types import Action`,
    ];
    const runs = await runEach(heads.map((head) => count('', head)));
    expect(runs.map(({ error, reward }) => [error, reward])).toEqual(heads.map(() => [null, 0.25]));
  });

  it('runs a file with a registry of its own, as the proposal’s own', async () => {
    const own = '_TASKS = {}\ndef register_custom_task(name, cls):\n    _TASKS[name] = cls\n';
    const text = count('', `from .custom_base import CustomBrowserGymEnvironment\n${own}`);
    await write(`${text.replace('@register_custom_task("count")\n', '')}\nregister_custom_task("count", Count)\n`, {
      file: 'custom_tasks.py',
    });
    const { runs } = await run(['count.task.json']);
    expect(runs[0]?.error).toBeNull();
    expect(runs[0]?.reward).toBe(0.25);
  });

  itLong('takes the prompt from the registration where task and class have none', async () => {
    await write(count('', HEADED).replace('("count")', '("count", goal="Count to one.")'), {
      row: { prompt: undefined },
    });
    const { runs } = await run(['count.task.json']);
    const { header } = await openRun(runs[0]?.trace_dir ?? '');
    expect(header.prompt).toBe('Count to one.');
  });

  itLong('ends at the step limit of the class, which reads no code in an action', async () => {
    const actions = ["document.querySelector('#n').textContent = 4", "click('#go')", "click('#go')"];
    await write(count('max_steps = 2', HEADED), { actions });
    const { runs } = await run(['count.task.json']);
    expect(runs[0]).toMatchObject({ steps: 2, reward: 0.25, truncated: true });
  });

  it('ends with words, and the file and the line, for a class that fails', async () => {
    const url = (value: string) => `del _get_html_content\ndef _get_task_url(self):\n    return "${value}"`;
    const failing: readonly (readonly [string, RegExp])[] = [
      [
        'def _calculate_reward(self, d, a, e):\n    return None',
        /_calculate_reward\(\) returned None: a finite number/,
      ],
      [
        'def _check_done(self, d):\n    return d["lost"]',
        /\(my_task\.py:21\): _check_done\(\) failed: KeyError: 'lost'/,
      ],
      ['def __init__(self):\n    raise OSError("full")', /\(my_task\.py:21\): the constructor failed: OSError: full/],
      [url('file:///etc/hostname'), /a file outside of the folder of the tasks/],
      [
        url('none.html'),
        /“count” \(my_task\.py\): _get_task_url\(\) returned "none\.html", but this file does not exist/,
      ],
      ['max_steps = 0', /has max_steps 0: a whole number from 1 is needed/],
      ['nothing.here', /no custom task “count”.*my_task\.py:20 could not be loaded: NameError/],
    ];
    const runs = await runEach(failing.map(([lines]) => count(lines, HEADED)));
    expect(runs.map(({ status, reward }) => [status, reward])).toEqual(failing.map(() => ['error', null]));
    for (const [index, [, message]] of failing.entries()) expect(runs[index]?.error?.message).toMatch(message);
  });

  it('takes the class from the module that OPENENV_TASK_MODULE names, which no page can read', async () => {
    await write(count('def _calculate_reward(self, d, a, e):\n    return 0.5', HEADED), {
      file: 'below/my_task.py',
      actions: ["goto('http://task.localhost/below/my_task.py')"],
    });
    expect(await run(['count.task.json'])).toMatchObject({ code: 2, runs: [{ error: { code: 'custom-task' } }] });
    const { runs } = await run(['count.task.json'], { OPENENV_TASK_MODULE: 'custom_tasks.below.my_task' });
    expect(runs[0]).toMatchObject({ status: 'completed', reward: 0.5 });
    const text = await readFile(join(runs[0]?.trace_dir ?? '', 'trace.jsonl'), 'utf8');
    expect(text).toContain('my_task.py');
    expect(text).not.toContain('_calculate_reward');
  });

  it('takes the name from BROWSERGYM_TASK_NAME where the task has none', async () => {
    await write(count('', HEADED), { row: { gym: { type: 'browsergym', benchmark: 'custom' } } });
    expect(await run(['count.task.json'])).toMatchObject({ code: 2, runs: [{ error: { code: 'custom-task' } }] });
    const { runs } = await run(['count.task.json'], { BROWSERGYM_TASK_NAME: 'count' });
    expect(runs[0]).toMatchObject({ status: 'completed', reward: 0.25 });
  });
});

it.runIf(hasPython('task classes in Python', 'playwright'))(
  'A class that was saved anew, and a module beside it, count from the next reset on, in the same session',
  async () => {
    await writeFile(join(folder, 'cards.py'), 'VALUE = 0.1\n');
    const lines = 'def _calculate_reward(self, d, a, e):\n    return cards.VALUE';
    await write(count(lines, `${HEADED}\nimport cards`));
    const { placement } = place();
    const server = await placement.server();
    const { session } = await server.request('session.open', {});
    onTestFinished(async () => {
      await server.request('session.close', { session });
    });
    const one = task('', { file: join(folder, 'count.task.json'), initial_state: {}, env: GYM });
    const rewardNow = async (): Promise<number | null> => {
      const begun = await server.request('session.reset', { session, task: one, files: { folder }, seed: 0 });
      expect(begun).toMatchObject({ reward: 0, goal: '', max_steps: 10 });
      return (await server.request('session.step', { session, actions: ["click('#go')"] })).reward;
    };
    expect(await rewardNow()).toBe(0.1);
    await writeFile(join(folder, 'cards.py'), 'VALUE = 0.25\n');
    expect(await rewardNow()).toBe(0.25);
    await write(count(lines.replace('cards.VALUE', '0.75'), HEADED));
    expect(await rewardNow()).toBe(0.75);
  },
);
