import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Library from '../../../src/library/library.ts';
import { connect, shownIn } from '../../unit/agents/mcp-client.ts';
import { dist } from '../programs.ts';

const { loadTasks, openEnvironment, run, TaskwrightError } = createRequire(import.meta.url)(
  join(dist, 'library.js'),
) as typeof Library;

const LIMIT = 60_000;
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'taskwright-library-'));
  const tasks = [
    { id: 'sum', prompt: 'Two and two?', gym: 'qa', evaluate: ['response_is', '4'] },
    { id: 'broken', prompt: 'Two and two?', gym: 'qa', evaluate: ['throws'] },
    { id: 'typo', prompt: 'Two and two?', gym: 'qa', evaluate: ['response_iss', '4'] },
  ];
  await writeFile(join(cwd, 'qa.tasks.json'), JSON.stringify(tasks));
  await writeFile(join(cwd, 'qa.functions.js'), "export function throws() { throw new Error('no'); }\n");
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

/** The code and the message of what a call rejects with. */
async function failure(call: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await call.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TaskwrightError);
  return error as { code: string; message: string };
}

describe('a program with its own environment', () => {
  it('makes recorded runs one after another, until it closes the environment', { timeout: LIMIT }, async () => {
    const events: Library.RunEvent[] = [];
    const out = join(cwd, 'runs');
    const environment = await openEnvironment('qa.tasks.json#sum', {
      cwd,
      out,
      onEvent: (event) => events.push(event),
    });
    expect(environment.task).toMatchObject({ id: 'sum', valid: true });
    expect(await failure(environment.step('x'))).toMatchObject({ code: 'not_reset' });
    const { prompt, info } = await environment.reset({ seed: 7 });
    expect([prompt, info.error]).toEqual(['Two and two?', null]);
    expect(await environment.getUrls()).toEqual({ url: null, live_url: null });
    expect(await failure(environment.step(4 as unknown as string))).toMatchObject({ code: 'agent_answer' });
    // Called at the same time, they are carried out one after another.
    const [step, gradedRun] = await Promise.all([environment.step("send_msg_to_user('5')"), environment.evaluate()]);
    expect(step).toMatchObject({ reward: 0, terminated: true });
    expect(gradedRun).toMatchObject({ seed: 7, status: 'completed', reward: 0, steps: 1, grade: { content: '5' } });
    expect(await environment.evaluate()).toEqual(gradedRun);
    expect(await failure(environment.step('x'))).toMatchObject({ code: 'episode_over' });
    await environment.reset();
    await environment.close();
    await environment.close();
    expect(await failure(environment.reset())).toMatchObject({ code: 'closed' });

    const endedRuns = events.flatMap((event) => (event.type === 'ended' ? [event.run] : []));
    expect(endedRuns.map(({ status }) => status)).toEqual(['completed', 'cancelled']);
    const [job = ''] = await readdir(out);
    const { ended_at } = JSON.parse(await readFile(join(out, job, 'job.json'), 'utf8'));
    expect(ended_at).not.toBeNull();
    expect((await readdir(join(out, job))).sort()).toEqual(
      expect.arrayContaining(endedRuns.map(({ run_id }) => run_id).sort()),
    );
  });

  it('ends a reset in progress when it closes the environment', { timeout: LIMIT }, async () => {
    const environment = await openEnvironment('qa.tasks.json#sum', { cwd });
    const reset = failure(environment.reset());
    await environment.close();
    expect(['closed', 'cancelled']).toContain((await reset).code);
  });

  it('learns which evaluate call failed', { timeout: LIMIT }, async () => {
    await using environment = await openEnvironment('qa.tasks.json#broken', { cwd });
    await environment.reset();
    const { code, message } = await failure(environment.step("send_msg_to_user('4')"));
    expect([code, message]).toEqual(['call_threw', expect.stringContaining('throws() (qa.tasks.json:1:')]);
    expect(await environment.evaluate()).toMatchObject({ status: 'error', reward: null, error: { code } });
  });

  it('cannot open what cannot run', async () => {
    expect(await failure(openEnvironment('qa.tasks.json', { cwd }))).toMatchObject({ code: 'not_one_task' });
    expect(await failure(openEnvironment('qa.tasks.json#typo', { cwd }))).toMatchObject({
      code: 'unknown-function',
      message: expect.stringContaining('response_iss'),
    });
    expect(await failure(openEnvironment('none.json', { cwd }))).toMatchObject({ code: 'file_not_found' });
  });
});

describe('a program that runs jobs', () => {
  it('gets all runs, also those of tasks that cannot run', { timeout: LIMIT }, async () => {
    const tasks = await loadTasks('.', { cwd });
    expect(tasks.map(({ id, valid }) => [id, valid])).toEqual([
      ['sum', true],
      ['broken', true],
      ['typo', false],
    ]);
    const { runs, statistics, folder } = await run(tasks, {
      cwd,
      agent: (_observation, { step }) => (step === 0 ? "send_msg_to_user('4')" : null),
    });
    expect(runs.map(({ status, reward, error }) => [status, reward, error?.code])).toEqual([
      ['completed', 1, undefined],
      ['error', null, 'call_threw'],
      ['error', null, 'unknown-function'],
    ]);
    expect(statistics).toMatchObject({ runs: 3, graded: 1, errors: 2 });
    expect(folder).toContain(join(cwd, '.taskwright', 'jobs'));
  });

  it('gets an error of its agent as that of the run', { timeout: LIMIT }, async () => {
    const agents: [Library.AgentFunction, string][] = [
      [() => Promise.reject(new Error('out of ideas')), 'agent_threw'],
      [() => 4 as unknown as string, 'agent_answer'],
    ];
    for (const [agent, code] of agents) {
      const { runs } = await run('qa.tasks.json#sum', { cwd, agent });
      expect(runs[0]).toMatchObject({ status: 'error', reward: null, error: { code } });
    }
  });

  it('keeps pages from the port of an external agent', { timeout: LIMIT }, async () => {
    const page = { id: 'page', prompt: 'p', evaluate: ['page_contains', 'nothing'] };
    await writeFile(join(cwd, 'page.tasks.json'), JSON.stringify([page]));
    const response = Promise.withResolvers<{ readonly text: string; readonly isError: boolean }>();
    const { runs } = await run('page.tasks.json', {
      cwd,
      agent: 'mcp',
      onEvent: (event) => {
        if (event.type !== 'waiting' || event.address === null) return;
        const { address } = event;
        connect(address)
          .then(async (client) => {
            const result = await client.callTool({ name: 'browser_navigate', arguments: { url: address.url } });
            await client.callTool({ name: 'finish', arguments: {} });
            response.resolve(shownIn(result));
          })
          .catch(response.reject);
      },
    });
    expect(await response.promise).toMatchObject({
      isError: true,
      text: expect.stringContaining('ERR_NAME_NOT_RESOLVED'),
    });
    expect(runs).toMatchObject([{ status: 'completed', reward: 0 }]);
  });

  it('distributes them over Docker hosts, and learns which cannot be used', { timeout: LIMIT }, async () => {
    const options = {
      cwd,
      agent: () => null,
      placement: 'docker',
      hosts: ['nowhere-1', 'nowhere-2'],
      retries: 0,
    } as const;
    const { runs } = await run('qa.tasks.json#sum', options);
    const [of] = runs;
    expect(of).toMatchObject({ status: 'error', error: { code: 'docker_missing' } });
    expect(of?.error?.message).toMatch(
      /nowhere-1: the context “nowhere-1”, which does not exist.*nowhere-2: the context/,
    );
  });

  it('cancels them', { timeout: LIMIT }, async () => {
    const cancel = new AbortController();
    const agent: Library.AgentFunction = async (_observation, { signal }) => {
      cancel.abort();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return null;
    };
    const options = { cwd, agent, group: 2, concurrency: 1, signal: cancel.signal };
    const { runs } = await run('qa.tasks.json#sum', options);
    expect(runs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  it('learns which of its options are invalid', async () => {
    const sum = 'qa.tasks.json#sum';
    expect(await failure(run(sum, { cwd, group: 0 }))).toMatchObject({ code: 'bad_option' });
    // From JavaScript, anything can come. A timer of Node makes 1 ms of a time that is too long.
    const wrong = [
      { timeoutMs: Number.POSITIVE_INFINITY },
      { timeoutMs: 3e9 },
      { evaluateTimeoutMs: Number.NaN },
      { maxSteps: -1 },
      { seeds: 'x' },
      { placement: 'dokcer' },
    ];
    for (const options of wrong as Library.RunOptions[]) {
      expect(await failure(run(sum, { cwd, agent: 'noop', ...options }))).toMatchObject({ code: 'bad_option' });
    }
    const environment = { cwd, maxSteps: Number.NaN };
    expect(await failure(openEnvironment(sum, environment))).toMatchObject({ code: 'bad_option' });
    expect(await failure(run(sum, { cwd, agent: 'nobody' }))).toMatchObject({ code: 'agent_unknown' });
    const none = await failure(run(sum, { cwd }));
    expect(none).toMatchObject({ code: 'no_agent', message: expect.stringContaining('Specify an "agent": noop') });
    expect(await failure(loadTasks([], { cwd }))).toMatchObject({ code: 'no_path' });
  });
});
