import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { readActionSchema } from '../../../src/environments/openenv/action-schema.ts';
import type { OpenEnvEnvironment } from '../../../src/environments/openenv/environment.ts';
import { readOwnTasks, readSplits } from '../../../src/environments/openenv/task-api.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { loadUserFunctions, NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { withPython } from '../../../src/functions/user/python/functions.ts';
import { CurrentTasks } from '../../../src/runs/selection/current-tasks.ts';
import { findOwnTasks } from '../../../src/runs/selection/own-tasks.ts';
import { UserFunctionNames } from '../../../src/runs/selection/selected-task.ts';
import { loadTaskFile } from '../../../src/tasks/discover.ts';
import type { Run } from '../../../src/traces/trace.ts';
import { taskwright } from '../../unit/cli/command-line.ts';
import { FakePlacement } from '../../unit/runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { begin, failureOf } from './openenv-episode.ts';
import { hasOpenEnv, type RunningServer, serveEnvironment } from './openenv-server.ts';

async function judged(environment: OpenEnvEnvironment, name: string, ...args: Json[]) {
  return runCall({ function: name, args }, 'evaluate', environment.functionContext(), NO_USER_FUNCTIONS);
}

describe.skipIf(!hasOpenEnv)('an OpenEnv environment', () => {
  let typed: RunningServer;
  let tools: RunningServer;
  let dataset: RunningServer;
  let pictures: RunningServer;
  beforeAll(async () => {
    typed = await serveEnvironment('typed', { TASKS: '1' });
    tools = await serveEnvironment('tools');
    dataset = await serveEnvironment('dataset');
    pictures = await serveEnvironment('pictures');
  });
  afterAll(async () => {
    for (const server of [typed, tools, dataset, pictures]) await server?.stop();
  });

  it('takes the seed of the run, and gives observations as text and as data', async () => {
    const { start } = await begin(typed.url);

    expect(start.observation).toMatchObject({ text: 'x: 0\nmessage: seed 7', data: { x: 0, message: 'seed 7' } });
    expect(start).toMatchObject({ reward: 0, terminated: false, error: null, goal: null });
  });

  it('gives the schema of its actions, also where they are calls of tools', async () => {
    const { start } = await begin(typed.url);
    expect(start.actions).toMatchObject({ title: 'Walk', required: ['direction'] });

    expect((await begin(tools.url)).start.actions).toMatchObject({
      oneOf: [
        {
          title: 'add',
          description: 'Add two numbers.',
          properties: { tool_name: { const: 'add' }, arguments: { required: ['a'] } },
        },
        { title: 'fail' },
        { title: 'list_tools' },
      ],
    });
    for (const { url } of [typed, tools]) {
      const { actions } = (await begin(url)).start;
      expect(await readActionSchema({ type: 'openenv', url })).toEqual(actions);
    }
    expect(await readActionSchema({ type: 'openenv', folder: './a' })).toBeNull();
  });

  it('takes arguments of reset, which win over the seed of the run', async () => {
    const { environment, start } = await begin(typed.url, { reset: { seed: 5, episode_id: 'mine' } }, [
      'state_matches',
    ]);

    expect(start.observation.data).toMatchObject({ message: 'seed 5' });
    expect(start.info.state).toMatchObject({ episode_id: 'mine' });
    expect(await judged(environment, 'state_matches', 'episode_id', 'mine')).toMatchObject({ value: 1 });
  });

  it.each(['ws', 'http'])('is reached at a URL of %s, with /ws or a trailing slash', async (protocol) => {
    for (const end of ['', '/', '/ws']) {
      const { start } = await begin(`${protocol}://127.0.0.1:${typed.port}${end}`);
      expect(start.observation.data).toMatchObject({ x: 0 });
    }
    const { start } = await begin(`${protocol}://ada:secret@127.0.0.1:${typed.port}`);
    expect(start.observation.data).toMatchObject({ x: 0 });
  });

  it('returns its reward and its end, and is evaluated by observation, state, and rewards', async () => {
    const { environment } = await begin(typed.url);
    const first = await environment.step([{ direction: 'RIGHT' }]);
    const second = await environment.step([{ direction: 'RIGHT', steps: 2 }]);

    expect([first.reward, first.terminated]).toEqual([-0.1, false]);
    expect(second).toMatchObject({ reward: 1, terminated: true, info: { total_reward: 0.9, state: { x: 3 } } });
    expect(await judged(environment, 'observation_matches', 'x', 3)).toMatchObject({ value: 1 });
    expect(await judged(environment, 'state_matches', 'goal', 3)).toMatchObject({ value: 1 });
    expect(await judged(environment, 'total_reward_at_least', 0.9)).toMatchObject({ value: 1 });
  });

  it('is evaluated by user-defined functions in TypeScript and Python', async () => {
    const folder = await temporaryFolder();
    await fileIn(
      folder,
      'a.functions.ts',
      `export const far = async ({ episode }, x) => {
         const { step_count } = await episode.state();
         return episode.observation.x === x && step_count === 1 && episode.totalReward === 1;
       };`,
    );
    await fileIn(
      folder,
      'b.functions.py',
      `def far_too(state, x: int):
    return state.observation["x"] == x and state.environment["step_count"] == 1 and state.total_reward == 1
`,
    );
    const { environment } = await begin(typed.url);
    await environment.step([{ direction: 'RIGHT', steps: 3 }]);
    const own = await withPython(await loadUserFunctions(folder), folder, 'far_too');
    for (const [name, value] of [
      ['far', 3],
      ['far_too', 3],
      ['far', 2],
      ['far_too', 2],
    ] as const) {
      const given = { function: name, args: [value] };
      const result = await runCall(given, 'evaluate', environment.functionContext(), own);
      expect(result, name).toMatchObject({ value: value === 3 ? 1 : 0 });
    }
  });

  it('does nothing after its end, even in the same answer', async () => {
    const { environment } = await begin(typed.url);
    const { info } = await environment.step([{ direction: 'RIGHT', steps: 3 }, { direction: 'LEFT' }]);

    expect(info.acted).toHaveLength(1);
    expect(await judged(environment, 'state_matches', 'step_count', 1)).toMatchObject({ value: 1 });
  });

  it.each([
    [{}, '“direction” is missing (Where to go)'],
    [{ direction: 'UP' }, '“direction”: expected one of "LEFT"|"RIGHT" (Where to go)'],
    [{ direction: 'LEFT', stepps: 2 }, '“stepps” is not a key of the Walk; it has direction, steps, do'],
    [{ direction: 'LEFT', steps: 11 }, '“steps”: Too big: expected number to be <=10'],
  ])('rejects the action %j by the schema, and the run continues', async (action, words) => {
    const { environment } = await begin(typed.url);
    const { error } = await environment.step([action]);

    expect(error).toMatchObject({ code: 'invalid_action' });
    expect(error?.message).toContain(words);
    expect((await environment.step([{ direction: 'LEFT' }])).error).toBeNull();
    expect(await judged(environment, 'state_matches', 'step_count', 1)).toMatchObject({ value: 1 });
  });

  it('takes a response, which does not end the run, and no other action string', async () => {
    const { environment } = await begin(typed.url);
    const answer = await environment.step([{ type: 'response', text: 'three' }]);
    const clicked = await environment.step(["click('#a')"]);

    expect(answer).toMatchObject({ terminated: false, info: { response: 'three' }, error: null });
    expect(clicked.error?.message).toContain('Actions are JSON objects here');
    expect(await judged(environment, 'response_is', 'three')).toMatchObject({ value: 1 });
  });

  it('reports an exception of the environment without a reward, and continues', async () => {
    const { environment } = await begin(typed.url);
    const { error, reward } = await environment.step([{ direction: 'LEFT', do: 'raise' }]);

    expect(error).toEqual({
      code: 'environment_error',
      message: 'The environment raised an exception: you cannot go there',
    });
    expect(reward).toBeNull();
    expect((await environment.step([{ direction: 'LEFT' }])).reward).toBe(-0.1);
  });

  describe('with a task', () => {
    it('passes it on, without a warning if it has an effect', async () => {
      const { environment, start } = await begin(typed.url, { task: 'go-to-5' });

      expect(start.warning).toBeUndefined();
      expect((await environment.step([{ direction: 'RIGHT', steps: 5 }])).terminated).toBe(true);
    });

    it('fails with the message of the environment if the task is unknown', async () => {
      const failure = await failureOf(begin(typed.url, { task: 'nowhere' }));

      expect(failure).toMatchObject({ code: 'environment_failed' });
      expect(failure.message).toContain('with the task "nowhere": there is no task nowhere');
    });

    it('warns if the server ignores it, and explains how that was detected', async () => {
      const deaf = await serveEnvironment('typed');
      onTestFinished(() => deaf.stop());
      const { start } = await begin(deaf.url, { task: 'go-to-5' });

      expect(start.warning).toBe(
        'the server ignored `task`: its first observation, reward, and state are the same with it, without it, and with another one',
      );
    });
  });

  it.each(['pixels', 'base64', 'data URL'])('shows a picture given as %s', async (form) => {
    const { environment, start } = await begin(pictures.url);
    const { observation } = await environment.step([{ form }]);

    expect(start.observation).toMatchObject({ text: 'board:\n  x o\n  · x', screenshot: null });
    expect(observation.screenshot).toMatchObject({ type: 'png', width: 12, height: 10 });
    expect(observation.data).toMatchObject({ screen: '(picture, 12×10)' });
  });

  it('calls the tools of an environment of MCP, and checks their arguments', async () => {
    const { environment } = await begin(tools.url);
    const tool = (name: string, args: Json) => ({ type: 'call_tool', tool_name: name, arguments: args });

    const listed = await environment.step([{ type: 'list_tools' }]);
    expect(listed.observation.data).toMatchObject({ tools: [{ name: 'add' }, { name: 'fail' }] });
    const added = await environment.step([tool('add', { a: 1, b: 41 })]);
    expect(added.observation.data).toMatchObject({ result: { data: 42 } });
    expect((await environment.step([tool('add', { a: 'x' })])).error?.message).toContain('“a”: expected');
    expect((await environment.step([tool('fail', {})])).error).toMatchObject({ code: 'execution_error' });
    expect((await environment.step([tool('none', {})])).error).toMatchObject({ code: 'tool_not_found' });
  });

  describe('with tasks of its own', () => {
    it('tells them by the Task API, 1,000 at a time, and none where it has no such thing', async () => {
      expect(await readSplits(dataset.url)).toEqual([
        { name: 'train', count: 5000 },
        { name: 'test', count: 3 },
      ]);
      const tasks = await readOwnTasks(dataset.url, 'train', 4000, 5000);
      expect(tasks).toHaveLength(1000);
      expect(tasks[321]).toEqual({ id: 'train-4321', question: 'What is 4321 + 1?' });
      expect(await readSplits(typed.url)).toBeNull();
      await expect(readOwnTasks(dataset.url, 'nowhere', 0, 1)).rejects.toMatchObject({
        code: 'environment_failed',
        message: expect.stringContaining('answers /dataset/task_range with HTTP status 500'),
      });
    });

    it('has them in the registry', async () => {
      const cwd = await temporaryFolder();
      const gym = { type: 'openenv', url: dataset.url, reset: { seed: 4 } };
      await fileIn(cwd, 'a.tasks.json', JSON.stringify([{ id: 'any', prompt: 'Answer.', gym }]));
      const said = (...args: string[]) => taskwright(args, { cwd, placement: new FakePlacement() });
      const listed = JSON.parse((await said('list', '--registry', '--json')).out) as { registry_id: string }[];

      expect(listed).toHaveLength(1 + 5000 + 3);
      expect(listed.slice(0, 2)).toMatchObject([
        { registry_id: 'any' },
        { registry_id: 'dataset/train/0', id: 'dataset/train/0', prompt: 'What is 0 + 1?', valid: true },
      ]);
      expect(JSON.parse((await said('list', 'dataset/train/4321', '--json')).out)).toMatchObject([
        { prompt: 'What is 4321 + 1?', env: { url: dataset.url, reset: { seed: 4, split: 'train', index: 4321 } } },
      ]);
      expect((await said('list', 'dataset/train/5000')).err).toContain('no task is registered as “dataset/train/5000”');
      const ran = await said('run', 'dataset/test/2', '--agent', 'noop', '--json');
      const [run] = (JSON.parse(ran.out) as { runs: Run[] }).runs;
      expect(run).toMatchObject({ task_id: 'dataset/test/2', status: 'completed' });
      const recorded = { file: run?.file ?? '', id: run?.task_id ?? null, index: 0 };
      expect(await new CurrentTasks().row(recorded)).toMatchObject({ id: 'dataset/test/2' });
    });
  });

  it('finds one of its own tasks by its id where it must be started', async () => {
    const path = await fileIn(
      await temporaryFolder(),
      'a.tasks.json',
      JSON.stringify([
        { id: 'other', prompt: 'Answer.', gym: 'qa' },
        { id: 'any', prompt: 'Answer.', gym: { type: 'openenv', folder: './dataset', task: 'x' } },
        { id: 'again', prompt: 'Answer.', gym: { type: 'openenv', folder: './dataset' } },
      ]),
    );
    const file = await loadTaskFile(path);
    const userFunctions = await new UserFunctionNames().beside(path);
    const tasks = file.rows.map((row) => ({ file, row, userFunctions }));
    const asked: (string | null)[] = [];
    const find = (id: string) =>
      findOwnTasks(id, tasks, (task, use) => {
        asked.push(task.id);
        return use(dataset.url);
      });

    const ownTasks = (await find('dataset/train/4999')).tasks.map(({ row }) => row.task);
    expect(ownTasks).toMatchObject([
      {
        id: 'dataset/train/4999',
        file: path,
        prompt: 'What is 4999 + 1?',
        env: { type: 'openenv', folder: './dataset', reset: { split: 'train', index: 4999 } },
      },
    ]);
    expect(ownTasks[0]?.env).not.toHaveProperty('task');
    for (const id of ['dataset/train/5000', 'dataset/nowhere/0', 'elsewhere/train/0', 'dataset/train']) {
      expect(await find(id), id).toEqual({ tasks: [], notes: [] });
    }
    expect(asked).toEqual(['any', 'any', 'any', 'any']);
    expect(await findOwnTasks('dataset/train/1', tasks)).toEqual({ tasks: [], notes: [] });
  });
});
