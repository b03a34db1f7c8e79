import { expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { HudEnvironment } from '../../../../src/environments/hud/environment.ts';
import { HudSession } from '../../../../src/environments/hud/session.ts';
import { readTasks } from '../../../../src/tasks/read.ts';
import type { Task } from '../../../../src/tasks/task.ts';
import { type Frame, serve, serveMethods } from './recorded-server.ts';

const WELCOME = { result: { session_id: 'sess-1', env: { name: 'lab', version: '1' }, bindings: [] } };

function taskOf(row: Json): Task {
  return readTasks('/tasks/a.task.json', JSON.stringify(row)).rows[0]?.task as Task;
}

const grade = (task: Task) => task.evaluate[0] as Task['evaluate'][number];
const never = new AbortController().signal;

async function startTask(row: Json, answer: Parameters<typeof serveMethods>[0]) {
  const { address } = await serveMethods(answer);
  const environment = new HudEnvironment(() => {});
  const task = taskOf(row);
  const start = await environment.reset({ task, files: { folder: '/tasks' }, seed: 0, address });
  return { environment, task, start };
}

it('starts the template with its arguments, and grades the response once', async () => {
  const requests: [string, Frame][] = [];
  const row = { env: 'lab', id: 'count', args: { word: 'abc' } };
  const { environment, task, start } = await startTask(row, (method, params) => {
    requests.push([method, params]);
    if (method === 'tasks.start') return { result: { prompt: 'How many?', hint: 'none' } };
    return method === 'tasks.grade' ? { result: { score: 0.5 } } : WELCOME;
  });
  expect(start).toMatchObject({ goal: 'How many?', observation: { text: 'How many?' }, terminated: false });
  expect(start.info.task_info).toEqual({ hint: 'none' });

  expect(await environment.step([{ name: 'look' }])).toMatchObject({
    terminated: false,
    error: { code: 'invalid_action', message: expect.stringContaining('no tools') },
  });
  const click = { type: 'click', point: { x: 1, y: 2 } };
  for (const [action, what] of [
    ['screenshot()', 'no browser and no desktop'],
    [click, 'no browser and no desktop'],
    ['run("ls")', 'no shell'],
  ] as const) {
    expect(await environment.step([action])).toMatchObject({
      error: { code: 'unknown_action', message: expect.stringContaining(`offers ${what}`) },
      info: { acted: [{}] },
    });
  }
  const step = await environment.step([{ type: 'response', text: '3' }]);
  expect(step).toMatchObject({ terminated: true, error: null, info: { response: '3' } });
  expect(await environment.call(grade(task), 'evaluate', { signal: never })).toMatchObject({ value: 0.5 });
  expect(await environment.call(grade(task), 'evaluate', { signal: never })).toMatchObject({
    error: { message: expect.stringContaining('graded already') },
  });
  await environment.close();
  expect(requests).toEqual([
    ['hello', {}],
    ['hello', { session_id: 'taskwright-no-such-session' }],
    ['tasks.start', { id: 'count', args: { word: 'abc' } }],
    ['tasks.grade', { answer: '3' }],
    ['bye', {}],
  ]);
});

it('sends numbers as they are written', async () => {
  const lines: string[] = [];
  const { address } = await serve((socket) => (line) => {
    lines.push(line);
    const { id } = JSON.parse(line) as { id: number };
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { prompt: 'p' } })}\n`);
  });
  const environment = new HudEnvironment(() => {});
  const text = '{"env": "lab", "id": "count", "args": {"scale": 1.0, "seed": 12345678901234567890, "times": 1}}';
  const task = readTasks('/tasks/a.task.json', text).rows[0]?.task as Task;
  await environment.reset({ task, files: { folder: '/tasks' }, seed: 0, address });
  expect(lines[2]).toBe(
    '{"jsonrpc":"2.0","id":3,"method":"tasks.start","params":{"id":"count","args":{"scale":1.0,"seed":12345678901234567890,"times":1}}}',
  );
});

it('an agent without a response is graded with null, and a response that a debugger puts wins', async () => {
  const answers: (Json | undefined)[] = [];
  for (const response of [undefined, 'put']) {
    const { environment, task } = await startTask({ env: 'lab', id: 'count' }, (method, { answer }) => {
      if (method === 'tasks.grade') answers.push(answer);
      return method === 'tasks.start' ? { result: { prompt: 'p' } } : { result: { score: 1 } };
    });
    await environment.call(grade(task), 'evaluate', { signal: never, ...(response === undefined ? {} : { response }) });
    await environment.close();
  }
  expect(answers).toEqual([null, 'put']);
});

it.each<[string, Frame, string]>([
  ['an exception', { error: { code: -32_000, message: 'no such level' } }, 'could not be started: no such level'],
  ['an empty one', { error: { code: -32_000, message: '' } }, 'its code raised an exception without a message'],
  ['no prompt', { result: { prompt: null } }, 'yields no prompt first'],
  ['no such template', { error: { code: -32_602, message: "unknown task: 'coun'" } }, 'Did you mean “count”?'],
])('a start with %s is an error', async (_what, frame, message) => {
  const row = { env: 'lab', id: 'coun' };
  const starting = startTask(row, (method) => {
    if (method === 'tasks.list') return { result: { tasks: [{ id: 'count' }] } };
    return method === 'tasks.start' ? frame : WELCOME;
  });
  await expect(starting).rejects.toThrow(message);
});

it.each<[string, Json, string]>([
  ['no list of capabilities', { bindings: {} }, 'does not welcome Taskwright: its capabilities are no list: {}'],
  ['a capability without a URL', { bindings: [{ name: 'a', protocol: 'mcp/1' }] }, 'no name, protocol, and URL: {"na'],
  ['nothing', null, 'does not welcome Taskwright: “hello” was answered with null'],
])('a welcome with %s is an error', async (_what, welcome, message) => {
  await expect(startTask({ env: 'lab', id: 'count' }, () => ({ result: welcome }))).rejects.toThrow(message);
});

it('a prompt that HUD does not read is shown, with a warning', async () => {
  const { start } = await startTask({ env: 'lab', id: 'count' }, (method) =>
    method === 'tasks.start' ? { result: { prompt: 5 } } : WELCOME,
  );
  expect(start).toMatchObject({ goal: '5', warning: expect.stringContaining('HUD 0.6.21 does not read the prompt') });
});

it('an exception while grading is an error of the call', async () => {
  const { environment, task } = await startTask({ env: 'lab', id: 'count' }, (method) => {
    if (method === 'tasks.start') return { result: { prompt: 'p' } };
    return method === 'tasks.grade' ? { error: { code: -32_000, message: 'boom' } } : WELCOME;
  });
  expect(await environment.call(grade(task), 'evaluate', { signal: never })).toEqual({
    error: { code: 'call_threw', message: 'boom' },
  });
});

it('a call that is aborted cancels the task, whose error then ends it', async () => {
  const { environment, task } = await startTask({ env: 'lab', id: 'count' }, (method, _params, socket, id) => {
    if (method === 'tasks.start') return { result: { prompt: 'p' } };
    if (method === 'tasks.grade') return undefined;
    if (method !== 'tasks.cancel') return WELCOME;
    // That of the grade is the one before.
    socket.write(`{"id":${id - 1},"error":{"code":-32000,"message":"tasks.cancel interrupted the task"}}\n`);
    return { result: { cancelled: true } };
  });
  const abort = new AbortController();
  const outcome = environment.call(grade(task), 'evaluate', { signal: abort.signal });
  abort.abort();
  expect(await outcome).toMatchObject({ error: { message: 'tasks.cancel interrupted the task' } });
  await environment.close();
});

it('a session whose connection broke resumes its task, unless the server has lost it', async () => {
  const requests: [string, Frame][] = [];
  const { address } = await serveMethods((method, params) => {
    requests.push([method, params]);
    if (method === 'tasks.start') return { result: { prompt: 'p' } };
    if (method === 'tasks.grade') return { result: { score: 1 } };
    const again = requests.filter(([name]) => name === 'hello').length;
    return again === 2 || again === 4 ? { error: { code: -32_600, message: "unknown session: 'sess-1'" } } : WELCOME;
  });
  const session = await HudSession.open(address);
  await session.start('count', {});
  session.drop();
  expect(await session.grade('3')).toEqual({ score: 1 });
  expect(requests.at(-2)).toEqual(['hello', { session_id: 'sess-1' }]);
  session.drop();
  await expect(session.grade('3')).rejects.toMatchObject({
    code: 'environment_lost',
    message: expect.stringContaining("unknown session: 'sess-1'"),
  });
  await session.close();
});

it('a tcp:// address as the environment is connected to as it is', async () => {
  const { address } = await serveMethods((method) =>
    method === 'tasks.start' ? { result: { prompt: 'p' } } : WELCOME,
  );
  const environment = new HudEnvironment(() => {});
  const task = taskOf({ env: address, id: 'count' });
  expect(await environment.reset({ task, files: { folder: '/tasks' }, seed: 0 })).toMatchObject({
    goal: 'p',
    warning: expect.stringContaining('older than HUD 0.6.13'),
  });
  await environment.close();
});

it('a verifier grades the grade of its task in the same session, and its own environment in another', async () => {
  const requests: [string, string, Frame][] = [];
  const graders = await serveMethods((method, params) => {
    requests.push(['other', method, params]);
    if (method === 'tasks.start') return { result: { prompt: null } };
    return method === 'tasks.grade' ? { result: { score: 0.75 } } : WELCOME;
  });
  const answer = (method: string, params: Frame): Frame => {
    requests.push(['own', method, params]);
    if (method === 'tasks.start') return { result: { prompt: 'p' } };
    if (method !== 'tasks.grade') return WELCOME;
    return typeof params['answer'] === 'string' ? { result: { score: 0.5, extra: [1] } } : { result: { score: 0.25 } };
  };
  const verifiers: [Record<string, Json>, number, string][] = [
    [{ env: 'lab', id: 'check', args: { n: 1 }, runtime_config: { image: 'i' } }, 0.25, 'own'],
    [{ env: graders.address, id: 'check', args: { n: 1 } }, 0.75, 'other'],
  ];
  for (const [verifier, value, where] of verifiers) {
    requests.length = 0;
    const { environment, task, start } = await startTask({ env: 'lab', id: 'count', verifier }, answer);
    expect(start.warning ?? '').toMatch(where === 'own' ? /"runtime_config" has no effect/ : /^$/);
    await environment.step([{ type: 'response', text: '3' }]);
    expect(await environment.call(grade(task), 'evaluate', { signal: never })).toMatchObject({ value });
    await environment.close();
    expect(requests.filter(([, method]) => method === 'tasks.start' || method === 'tasks.grade')).toEqual([
      ['own', 'tasks.start', { id: 'count', args: {} }],
      ['own', 'tasks.grade', { answer: '3' }],
      [where, 'tasks.start', { id: 'check', args: { n: 1 } }],
      [where, 'tasks.grade', { answer: { score: 0.5, extra: [1] } }],
    ]);
  }
});

it.each<[string, Frame, string]>([
  ['failed', { error: { code: -32_000, message: 'boom' } }, 'boom'],
  ['has no score', { result: { reward: 1 } }, 'the grade has no "score"; it is {"reward":1}'],
])('a verifier learns that the grade of its task %s', async (_what, frame, content) => {
  const answers: Json[] = [];
  const row = { env: 'lab', id: 'count', verifier: { env: 'lab', id: 'check' } };
  const { environment, task } = await startTask(row, (method, { answer }) => {
    if (method === 'tasks.start') return { result: { prompt: 'p' } };
    if (method !== 'tasks.grade') return WELCOME;
    answers.push(answer ?? null);
    return answers.length === 1 ? frame : { result: { score: 0 } };
  });
  expect(await environment.call(grade(task), 'evaluate', { signal: never })).toMatchObject({ value: 0 });
  await environment.close();
  expect(answers).toEqual([null, { score: 0, answer: null, content, isError: true }]);
});

it('a verifier does not grade a task whose grade was aborted', async () => {
  const begun: Json[] = [];
  const row = { env: 'lab', id: 'count', verifier: { env: 'lab', id: 'check' } };
  const { environment, task } = await startTask(row, (method, params, socket, id) => {
    if (method === 'tasks.start') begun.push(params['id'] ?? null);
    if (method === 'tasks.start') return { result: { prompt: 'p' } };
    if (method === 'tasks.grade') return undefined;
    if (method !== 'tasks.cancel') return WELCOME;
    socket.write(`{"id":${id - 1},"error":{"code":-32000,"message":"tasks.cancel interrupted the task"}}\n`);
    return { result: { cancelled: true } };
  });
  const abort = new AbortController();
  const outcome = environment.call(grade(task), 'evaluate', { signal: abort.signal });
  abort.abort();
  expect(await outcome).toMatchObject({ error: { message: 'tasks.cancel interrupted the task' } });
  await environment.close();
  expect(begun).toEqual(['count']);
});

it('a template that takes longer to start than the user allows is an error that says how to allow more', async () => {
  const { address } = await serveMethods((method) => (method === 'tasks.start' ? undefined : WELCOME));
  const environment = new HudEnvironment(() => {});
  const task = taskOf({ env: 'lab', id: 'count' });

  const start = environment.reset({ task, files: { folder: '/tasks' }, seed: 0, address, limitMs: 50 });

  await expect(start).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringMatching(/did not start the task within 0\.05 s\. To allow more time, .* --evaluate-timeout/),
  });
});
