import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../../src/traces/trace.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { nothingLeft, processesOf } from '../server/harness.ts';
import { start } from './program.ts';

const FILE = 'count.tasks.json';
const program = join(root, 'test', 'fixtures', 'mcp', 'server.mjs');
const act = (amount: number) => ({ name: 'act', arguments: { amount } });

let cwd: string;
beforeEach(async () => {
  cwd = await temporaryFolder();
  const env = { GREETING: '$TOKEN', STUBBORN: '1' };
  const row = {
    id: 'three',
    prompt: 'Count to 3',
    mcp_config: { local: { command: '${RUNTIME}', args: [program], env } },
    setup_tool: { name: 'setup', arguments: { start: 1 } },
    integration_test_tool: [act(1), act(1)],
    evaluate_tool: { name: 'evaluate', arguments: { target: 3 } },
  };
  await fileIn(cwd, FILE, JSON.stringify([row]));
  await fileIn(cwd, '.env', 'TOKEN=very-secret\n');
});

const variables = { RUNTIME: process.execPath };

async function run(...args: readonly string[]): Promise<{ code: number | null; run: Run; err: string }> {
  const { code, out, err } = await start(['run', FILE, '--json', ...args], cwd, variables).ended;
  const [only] = (JSON.parse(out) as { runs: Run[] }).runs;
  return { code, run: only as Run, err };
}

describe('a task of HUD 0.4', () => {
  it('is solved by its own tool calls, and its trace has no values of variables', async () => {
    const { code, run: done } = await run();
    expect([code, done]).toMatchObject([0, { status: 'completed', reward: 1, steps: 2 }]);
    const trace = await readFile(join(done.trace_dir ?? '', 'trace.jsonl'), 'utf8');
    expect(trace).toContain('$TOKEN');
    expect(trace).not.toContain('very-secret');
  });

  it('has the reward of nothing done', async () => {
    const { code, run: done } = await run('--agent', 'noop');
    expect([code, done]).toMatchObject([1, { status: 'completed', reward: 0.25, steps: 0 }]);
  });

  it('is acted on by a program', async () => {
    const agent = `
      const asked = [];
      process.stdin.on('data', (data) => {
        const { step, observation } = JSON.parse(data);
        asked.push(observation.text);
        const answer = step === 0 ? { name: 'act', arguments: { amount: 2 } } : step === 1 ? 'response("done")' : null;
        console.error('saw ' + asked.join(' '));
        console.log(JSON.stringify(answer));
      });`;
    await fileIn(cwd, 'agent.cjs', agent);
    const { run: done, err } = await run('--agent', `process:"${process.execPath}" agent.cjs`, '--verbose');
    expect(done).toMatchObject({ status: 'completed', reward: 1, steps: 2 });
    expect(err).toContain('saw The counter starts at 1. The counter is 3.');
  });

  it('leaves nothing behind when the command line is killed, or interrupted, during a run', async () => {
    await fileIn(
      cwd,
      'hang.agent.mjs',
      "export default () => { console.error('thinking'); return new Promise(() => {}); };",
    );
    for (const how of ['SIGKILL', 'SIGINT'] as const) {
      const started = start(['run', FILE, '--agent', 'module:hang.agent.mjs'], cwd, variables);
      await started.saying('thinking');
      const servers = (await processesOf(started.mark)).filter(({ command }) => command.includes('server.mjs'));
      expect(servers.length).toBe(1);
      started.child.kill(how);
      await started.ended;
      await nothingLeft(started.mark);
    }
  });
});
