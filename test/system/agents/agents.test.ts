import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { schemaOfCalls } from '../../../src/environments/mcp/tools.ts';
import type { RunEvent } from '../../../src/runs/events.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import type { EnvironmentSpec } from '../../../src/tasks/task.ts';
import { openRun } from '../../../src/traces/store.ts';
import type { RunRecord, Step } from '../../../src/traces/trace.ts';
import { type FakeAnswers, FakePlacement, seen } from '../../unit/runs/fake-placement.ts';
import { fileIn, task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { dist } from '../programs.ts';
import { processesOf } from '../server/harness.ts';

let mark = '';
beforeAll(() => {
  mark = `TASKWRIGHT_TEST=${randomUUID()}`;
  process.env['TASKWRIGHT_TEST'] = mark.split('=')[1] ?? '';
});
afterAll(() => {
  delete process.env['TASKWRIGHT_TEST'];
});

/** Processes of agents. Their guards, which search again for a while, are not among them. */
async function agentsLeft(): Promise<string[]> {
  return (await processesOf(mark))
    .filter(({ variables }) => variables.some((variable) => variable.startsWith('TASKWRIGHT_AGENT=')))
    .map(({ command }) => command);
}

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
});

interface Outcome {
  readonly record: RunRecord;
  readonly steps: readonly Step[];
  readonly log: string;
}

async function runWith(
  agent: string,
  of: {
    answers?: FakeAnswers;
    env?: EnvironmentSpec;
    signal?: AbortSignal;
    variables?: readonly string[];
    listen?: (event: RunEvent) => void;
  } = {},
): Promise<Outcome> {
  const log: string[] = [];
  const record = await runTask(
    {
      task: task(of.env === undefined ? {} : { env: of.env }),
      agent,
      seed: 0,
      jobId: 'job',
      groupId: 'g',
      out: join(folder, 'out'),
      cwd: folder,
      agentProgram: join(dist, 'agent.js'),
      agentVariables: of.variables ?? [],
    },
    new FakePlacement(of.answers),
    (event) => {
      if (event.type === 'log') log.push(event.text);
      of.listen?.(event);
    },
    of.signal ?? new AbortController().signal,
  );
  const { steps } = await openRun(record.trace_dir ?? '');
  return { record, steps: await steps(), log: log.join('\n') };
}

function actionsOf({ steps }: Outcome): unknown[] {
  return steps.flatMap((step) => (step.source === 'agent' ? [step.action] : []));
}

/** Ignores its closed input and a polite end, and has started something that does the same. */
const HANGING = `import { spawn } from 'node:child_process';
process.on('SIGTERM', () => {});
spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)', 'grandchild'], { stdio: 'ignore' });
console.error('hanging');
setInterval(() => {}, 1e6);
`;

/** A process agent: a program that reads lines and writes lines, here in the language that is at hand. */
const program = `process:"${process.execPath}" agent.mjs`;
const EACH_TURN =
  "import { createInterface } from 'node:readline';\nfor await (const line of createInterface({ input: process.stdin })) {\nconst turn = JSON.parse(line);\n";

/** Environment variables of the user. */
const SECRETS = { SHOP_API_KEY: 'zebra', TASKWRIGHT_TOKEN: 'zebra', SHOP_COLOR: 'zebra' };

describe.each(['process', 'module'])('a %s agent', (kind) => {
  it('gets no environment variables but those that it needs to run and those that are named', async () => {
    for (const [name, value] of Object.entries(SECRETS)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const list = 'Object.keys(process.env).filter((name) => /SHOP|TASKWRIGHT_T|^PATH/.test(name)).sort().join()';
    await fileIn(folder, 'agent.mjs', `console.error('got', ${list});\nthrow new Error('No key.');`);
    const agent = kind === 'process' ? program : 'module:agent.mjs';
    const none = await runWith(agent);
    expect(none.log).toMatch(/got PATH,TASKWRIGHT_TEST(\n|$)/);
    expect(none.record.error?.message).toContain('environment variables: ');
    expect(none.record.error?.message).toContain('SHOP_API_KEY');
    expect(none.record.error?.message).toContain('--agent-env');
    expect(JSON.stringify(none.record)).not.toContain('zebra');
    const one = await runWith(agent, { variables: ['SHOP_API_KEY'] });
    expect(one.log).toMatch(/got PATH,SHOP_API_KEY,TASKWRIGHT_TEST(\n|$)/);
    expect(one.record.error?.message).not.toContain('SHOP_API_KEY');
  });
});

describe('a process agent', () => {
  it('gets a line of JSON for each observation and answers with a line', async () => {
    await fileIn(
      folder,
      'agent.mjs',
      `${EACH_TURN}
  const { observation, step, prompt, error, reward } = turn;
  console.error('step', step, observation.text);
  if (step === 0) {
    console.error(Object.keys(turn).sort().join(), Buffer.from(observation.screenshot, 'base64').toString('latin1', 1));
    console.log(JSON.stringify("click('" + prompt + "')"));
  } else if (step === 1) {
    console.error(error.code, reward);
    console.log(JSON.stringify([{ type: 'press', keys: ['Enter'] }, 'noop()']));
  } else console.log('null');
}`,
    );
    const outcome = await runWith(program, {
      answers: {
        step: (_params, count) =>
          seen(`after ${count}`, { reward: 0.5, error: count === 1 ? { code: 'no_element', message: 'None.' } : null }),
      },
    });
    expect(outcome.record).toMatchObject({ status: 'completed', error: null, steps: 2 });
    expect(actionsOf(outcome)).toEqual(["click('Place the order.')", [{ type: 'press', keys: ['Enter'] }, 'noop()']]);
    expect(outcome.log.split('\n')).toEqual([
      'agent: step 0 start',
      'agent: error,observation,prompt,reward,step,terminated PNG',
      'agent: step 1 after 1',
      'agent: no_element 0.5',
      'agent: step 2 after 2',
    ]);
    expect(await agentsLeft()).toEqual([]);
  });

  it('receives the end of a task', async () => {
    await fileIn(
      folder,
      'agent.mjs',
      `${EACH_TURN}
  if (turn.terminated) console.error('reward', turn.reward);
  else console.log('"noop()"');
}`,
    );
    const outcome = await runWith(program, {
      answers: { step: () => seen('end', { terminated: true, reward: 1 }) },
    });
    expect(outcome.record).toMatchObject({ steps: 1, reward: 1 });
    expect(outcome.log).toContain('agent: reward 1');
  });

  it.each([
    {
      what: 'writes what is no JSON',
      code: `console.log('hello')`,
      error: 'agent_answer',
      words: 'write everything else to standard error',
    },
    {
      what: 'answers what is no action',
      code: `console.log('42')`,
      error: 'agent_answer',
      words: '42. Answer with an action',
    },
    { what: 'ends without an answer', code: 'process.exit(3)', error: 'agent_died', words: 'exit code 3' },
    { what: 'throws', code: `throw new Error('no idea')`, error: 'agent_died', words: 'Error: no idea' },
  ])('that $what fails the run with an error', async ({ code, error, words }) => {
    await fileIn(folder, 'agent.mjs', `${EACH_TURN}${code};\n}`);
    const { record } = await runWith(program);
    expect(record).toMatchObject({ status: 'error', reward: null, error: { code: error } });
    expect(record.error?.message).toContain(words);
  });

  it.each([
    { what: 'writes what is no JSON', code: `console.log('hello')`, error: 'agent_answer' },
    { what: 'answers what is no action', code: `console.log('42')`, error: 'agent_answer' },
    { what: 'ends', code: 'process.exit(3)', error: 'agent_died' },
    { what: 'throws', code: `throw new Error('no idea')`, error: 'agent_died' },
  ])('that $what after its first answer gets reward 0 and the blame', async ({ code, error }) => {
    await fileIn(folder, 'agent.mjs', `${EACH_TURN}if (turn.step === 0) console.log('"noop()"'); else { ${code} }\n}`);
    const { record } = await runWith(program);
    expect(record).toMatchObject({
      status: 'completed',
      reward: 0,
      success: false,
      error: null,
      blame: 'agent',
      steps: 1,
      grade: { reward: 0, info: { blame: 'agent', code: error, warning: expect.stringMatching(/\S/) } },
    });
  });

  it('with a missing program is an error', async () => {
    const { record } = await runWith('process:no-such-program --x');
    expect(record).toMatchObject({ status: 'error', error: { code: 'agent_missing' } });
    expect(record.error?.message).toContain('no-such-program: no such program');
  });

  it('is run without a shell', async () => {
    await fileIn(
      folder,
      'agent.mjs',
      `${EACH_TURN}console.log(turn.step === 0 ? JSON.stringify(process.argv[2]) : 'null');\n}`,
    );
    const outcome = await runWith(`${program} "$(touch pwned); \`touch pwned\`"`);
    expect(actionsOf(outcome)).toEqual(['$(touch pwned); `touch pwned`']);
  });

  it('that hangs is ended when the user cancels, with all processes that it started', async () => {
    await fileIn(folder, 'agent.mjs', HANGING);
    const cancel = new AbortController();
    const { record } = await runWith(program, {
      signal: cancel.signal,
      listen: (event) => {
        if (event.type === 'log' && event.text.includes('hanging')) cancel.abort();
      },
    });
    expect(record).toMatchObject({ status: 'cancelled', steps: 0 });
    expect(await agentsLeft()).toEqual([]);
  });
});

describe('agents of an environment whose actions are calls of tools', () => {
  it.each([
    [
      program,
      'agent.mjs',
      `${EACH_TURN}  console.error('tools', JSON.stringify(turn.tools ?? null));
  console.log(turn.step < 2 ? '{"name": "add"}' : 'null');
}`,
    ],
    [
      'module:my.agent.mjs',
      'my.agent.mjs',
      `export default (_seen, { step, tools }) => {
  console.log('tools', JSON.stringify(tools));
  return step < 2 ? { name: 'add' } : null;
};`,
    ],
  ])('%s learns them', async (agent, name, text) => {
    await fileIn(folder, name, text);
    const actions = schemaOfCalls([{ name: 'add', description: 'Adds.', schema: { type: 'object' } }]);
    const outcome = await runWith(agent, {
      env: { type: 'hud', name: 'shop', template: 'buy' },
      answers: { reset: () => ({ ...seen('start'), goal: null, actions }) },
    });
    expect(outcome.record).toMatchObject({ status: 'completed', steps: 2 });
    const tools = '[{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}]';
    // A process remembers what its first line says.
    const later = agent === program ? 'null' : tools;
    const said = outcome.log.split('\n').filter((line) => line.includes('tools'));
    expect(said).toEqual([tools, later, later].map((list) => `agent: tools ${list}`));
  });
});

describe('a module agent', () => {
  it('is the default export of a TypeScript file, in a separate process', async () => {
    await fileIn(folder, 'names.ts', `export const enum_free: string = 'button';`);
    await fileIn(
      folder,
      'my.agent.ts',
      `import { enum_free } from './names.ts';
type Turn = { prompt: string; step: number; signal: AbortSignal };
export default async function (seen: { text: string; screenshot: Uint8Array }, { prompt, step, signal }: Turn) {
  console.log('step', step, seen.text, seen.screenshot.length, signal.aborted);
  if (step === 0) return \`click('\${enum_free}')\`;
  if (step === 1) return [{ type: 'type', text: prompt }, 'noop()'];
  return step === 2 ? { type: 'response', text: String(process.pid) } : null;
}
`,
    );
    const outcome = await runWith('module:my.agent.ts');
    expect(outcome.record).toMatchObject({ status: 'completed', error: null, steps: 3 });
    const [first, second, third] = actionsOf(outcome);
    expect(first).toBe("click('button')");
    expect(second).toEqual([{ type: 'type', text: 'Place the order.' }, 'noop()']);
    expect((third as { text: string }).text).not.toBe(String(process.pid));
    expect(outcome.log).toContain('agent: step 1 after step 1 4 false');
    expect(await agentsLeft()).toEqual([]);
  });

  it('may be CommonJS-free JavaScript, and is done when it returns nothing', async () => {
    await fileIn(folder, 'a.agent.mjs', `const script = ['a', 'b'];\nexport default () => script.shift();`);
    expect(actionsOf(await runWith('module:a.agent.mjs'))).toEqual(['a', 'b']);
  });

  it.each([
    {
      what: 'throws',
      code: `export default () => {\n  throw new Error('lost');\n};`,
      error: 'agent_threw',
      words: 'step 0: lost (line 2)',
    },
    { what: 'does not parse', code: `export default (`, error: 'agent_broken', words: 'cannot be loaded' },
    {
      what: 'has no default export',
      code: `export const agent = () => null;`,
      error: 'agent_broken',
      words: 'default export',
    },
    { what: 'answers a number', code: `export default () => 42;`, error: 'agent_answer', words: '42' },
    {
      what: 'ends its process',
      code: `export default () => process.exit(7);`,
      error: 'agent_died',
      words: 'exit code 7',
    },
  ])('that $what fails the run with an error', async ({ code, error, words }) => {
    await fileIn(folder, 'a.agent.mjs', code);
    const { record } = await runWith('module:a.agent.mjs');
    expect(record).toMatchObject({ status: 'error', error: { code: error } });
    expect(record.error?.message).toContain(words);
  });

  it.each([
    { what: 'loops for ever', code: `export default () => { console.log('busy'); for (;;); };` },
    {
      what: 'waits for ever',
      code: `export default () => { console.log('busy'); return new Promise(() => setInterval(() => {}, 1e6)); };`,
    },
  ])('that $what is ended when the user cancels', async ({ code }) => {
    await fileIn(folder, 'a.agent.mjs', code);
    const cancel = new AbortController();
    const { record } = await runWith('module:a.agent.mjs', {
      signal: cancel.signal,
      listen: (event) => {
        if (event.type === 'log' && event.text.includes('busy')) cancel.abort();
      },
    });
    expect(record.status).toBe('cancelled');
    expect(await agentsLeft()).toEqual([]);
  });

  it('is notified by its signal when it is no longer needed', async () => {
    await fileIn(
      folder,
      'a.agent.mjs',
      `export default (seen, { signal }) => new Promise((resolve) => {
  console.log('waiting');
  signal.addEventListener('abort', () => { console.log('stopping'); resolve(null); });
});`,
    );
    const cancel = new AbortController();
    const { log } = await runWith('module:a.agent.mjs', {
      signal: cancel.signal,
      listen: (event) => {
        if (event.type === 'log' && event.text.includes('waiting')) cancel.abort();
      },
    });
    expect(log).toContain('agent: stopping');
  });
});

describe('when the process that runs the agent is killed', () => {
  it('a hanging agent and its processes end within two seconds', async () => {
    await fileIn(folder, 'agent.mjs', HANGING);
    const runnerProgram = await fileIn(
      folder,
      'runner.mjs',
      `import { spawn } from 'node:child_process';
import { Guard } from ${JSON.stringify(pathToFileURL('src/processes/guard.ts').href)};
const guard = new Guard('TASKWRIGHT_AGENT');
const env = { ...process.env, ...guard.mark };
guard.add(spawn(process.execPath, ['agent.mjs'], { detached: true, stdio: 'ignore', env }).pid);
process.stdout.write('ready');
setInterval(() => {}, 1e6);
`,
    );
    const runner = spawn(process.execPath, [runnerProgram], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void runner.kill('SIGKILL'));
    await new Promise((resolve) => runner.stdout.once('data', resolve));
    // The runner, the guard, the agent and its child.
    const ours = () =>
      processesOf(mark).then((all) => all.filter(({ pid }) => pid !== process.pid && pid !== process.ppid));
    await vi.waitFor(
      async () => expect((await ours()).filter(({ command }) => command.includes('grandchild'))).toHaveLength(1),
      { timeout: 60_000 },
    );
    runner.kill('SIGKILL');
    await vi.waitFor(
      async () =>
        expect((await ours()).filter(({ command }) => /agent\.mjs|grandchild|runner\.mjs/.test(command))).toEqual([]),
      { timeout: 60_000, interval: 20 },
    );
  });
});
