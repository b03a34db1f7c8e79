import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callAt } from '../src/debugger/call-locations.ts';
import { Commands } from '../src/environments/workspace/commands.ts';
import { SameUser } from '../src/environments/workspace/same-user.ts';
import { parseXml } from '../src/functions/junit/xml.ts';
import { diagnoseSolution } from '../src/language/solutions/findings.ts';
import { localPlacement } from '../src/placement/local.ts';
import { readTasks } from '../src/tasks/read.ts';
import { processes } from '../test/journeys/processes.ts';
import type { Figure } from './figures.ts';

/** Time and memory for the largest inputs, against limits. */
export async function limits(): Promise<readonly Figure[]> {
  const start = performance.now();
  diagnoseSolution('/tasks/buy.actions', "fil('#a')\n".repeat(100_000));
  const solution = limit('a solution of 100,000 lines', performance.now() - start, 2000, 'ms');
  return [findCalls(), solution, await largeOutput(), entities(), await killedServer()];
}

function findCalls(): Figure {
  const row = '{"id": "t", "prompt": "p", "gym": "qa", "evaluate": ["response_is", "1"]}\n';
  const file = readTasks('/tasks/many.tasks.jsonl', row.repeat(10_000));
  const start = performance.now();
  for (let line = 0; line < 10_000; line += 100) callAt(file, line, null);
  return limit('a call in a file of 10,000 tasks', (performance.now() - start) / 100, 5, 'ms');
}

/** Memory that a command takes here whose output is a gigabyte. */
async function largeOutput(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const commands = new Commands(folder, new SameUser());
  const before = process.memoryUsage().rss;
  await commands.run('head -c 1000000000 /dev/zero', { timeout: 60_000 });
  const memory = process.memoryUsage().rss - before;
  await commands.close();
  await rm(folder, { recursive: true });
  return limit('memory for a gigabyte of output', memory / 1e6, 200, 'MB');
}

/** Memory that a JUnit report takes whose entities would expand to 100 million characters. */
function entities(): Figure {
  const names = ['b', 'c', 'd', 'e'];
  const definitions = names.map((name, index) => `<!ENTITY ${name} "${`&${'abcd'[index]};`.repeat(10)}">`).join('');
  const before = process.memoryUsage().rss;
  try {
    const xml = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${definitions}]><testsuite><testcase name="a"><failure>${'&e;'.repeat(1000)}</failure></testcase></testsuite>`;
    parseXml(Buffer.from(xml), 'r.xml');
  } catch {
    // The reader may refuse it.
  }
  return limit('memory for nested entities', Math.max(0, process.memoryUsage().rss - before) / 1e6, 100, 'MB');
}

/** Time from the kill of an environment server to the end of all its processes. */
async function killedServer(): Promise<Figure> {
  const mark = `TASKWRIGHT_BENCH=${randomUUID()}`;
  const placement = localPlacement({
    serverProgram: join(import.meta.dirname, '..', 'dist', 'server.js'),
    log: () => {},
    env: { TASKWRIGHT_BENCH: mark.slice(mark.indexOf('=') + 1) },
  });
  const ours = () => processes().filter(({ environment }) => environment.split('\0').includes(mark));
  const server = await placement.server();
  await server.request('session.open', {});
  while (!ours().some(({ command }) => command.includes('--remote-debugging-pipe'))) await sleep(20);
  const victim = ours().find(({ command }) => command.includes(' --folder '));
  if (victim === undefined) throw new Error('There is no environment server.');
  const start = performance.now();
  process.kill(victim.pid, 'SIGKILL');
  while (ours().length > 0) await sleep(10);
  const took = performance.now() - start;
  await placement.dispose();
  return limit('from a killed server to no process', took, 2000, 'ms');
}

function limit(name: string, ours: number, most: number, unit: string): Figure {
  return { name, against: 'the limit', ours, theirs: most, unit, ratio: ours / most, aim: { atMost: 1 } };
}
