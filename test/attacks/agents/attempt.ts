import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { AgentAddress } from '../../../src/agents/agent-kind.ts';
import type { Placement } from '../../../src/placement/placement.ts';
import type { RunEvent } from '../../../src/runs/events.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import type { Call } from '../../../src/tasks/task.ts';
import { openRun } from '../../../src/traces/store.ts';
import type { RunRecord } from '../../../src/traces/trace.ts';
import { dist, root } from '../../system/programs.ts';
import { call, task as plainTask } from '../../unit/runs/tasks.ts';
import { ANSWER, type Attack, type Kind, SLEEP } from './corpus/attack.ts';
import { CONTROLLER, ENVIRONMENTS, SOLUTIONS, SOLVING_COMMAND } from './corpus/tasks.ts';

const HTML = '<h1>Shop</h1><input id=file type=file><input id=go-field><button id=go>Go</button>';

/** A folder with a task that holds the answer, and its solution. */
async function taskFolder(kind: Kind): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-attacked-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { env, evaluate } = ENVIRONMENTS[kind];
  // So that a container has it mounted: agents try to get there.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'pages'));
  if (kind === 'custom') await writeController(join(folder, 'controller'));
  await writeFile(
    join(folder, 'secret.task.json'),
    JSON.stringify({ id: 'secret', prompt: 'Guess.', gym: env, evaluate }),
  );
  await writeFile(join(folder, 'secret.actions'), `${SOLUTIONS[kind]}\n`);
  return folder;
}

async function writeController(folder: string): Promise<void> {
  const source = join(folder, 'src', 'hud_controller');
  await mkdir(source, { recursive: true });
  await writeFile(join(source, '__init__.py'), CONTROLLER);
  await cp(join(root, 'examples', 'lights', 'controller', 'Dockerfile'), join(folder, 'Dockerfile'));
}

async function run(
  kind: Kind,
  folder: string,
  agent: string,
  placement: Placement,
  timeoutMs?: number,
  listen: (event: RunEvent) => void = () => {},
): Promise<RunRecord> {
  const { env, setup, evaluate } = ENVIRONMENTS[kind];
  const calls = (from: readonly string[] | undefined): Call[] => {
    return from === undefined ? [] : [call(from[0] as string, from.slice(1))];
  };
  const file = join(folder, 'secret.task.json');
  const task = {
    ...plainTask({
      file,
      env,
      initial_state: kind === 'browser' ? { html: HTML } : {},
      max_steps: kind === 'desktop' ? MAX_STEPS : 60,
    }),
    setup: calls(setup),
    evaluate: calls(evaluate),
  };
  const plan = { task, agent, seed: 0, jobId: 'job', groupId: 'group', out: join(folder, 'out'), cwd: folder };
  const limits = { limits: { timeout_ms: timeoutMs }, agentProgram: join(dist, 'agent.js') };
  return runTask({ ...plan, ...limits, taskFiles: [file] }, placement, listen, new AbortController().signal);
}

/** An action, or a text to wait for in what is observed. */
type Answer = string | { readonly until: string };

/** How many times an agent waits half a second for a text, unless its terminal has ended. */
const MOST_WAITS = 120;
/** Enough steps for attacks whose every line is waited for. */
const MAX_STEPS = 60 + 3 * MOST_WAITS;

/** The title of the terminal when a line has ended. */
const endOf = (number: number): string => `line ${number} has ended`;

/** Types a command into the terminal of a desktop, and waits until it has ended. */
function typed(command: string, number: number): readonly Answer[] {
  const done = endOf(number);
  // The prompt of the shell may set the title again, so it comes only after Enter.
  const line = `${command}; printf '\\033]0;line %d has ended\\007' ${number}; read _`;
  const enter = "keyboard_press('Enter')";
  return [`keyboard_type(${JSON.stringify(line)})`, enter, { until: done }, enter];
}

/** The source of a module agent that gives these answers. */
function answering(answers: readonly Answer[]): string {
  return `const answers = ${JSON.stringify(answers)};
let waits = 0;
export default ({ text }: { text: string | null }) => {
  const [answer] = answers;
  if (typeof answer === 'object') {
    const isOver = text?.includes(answer.until) || text === 'No window is open.';
    if (!isOver && waits++ < ${MOST_WAITS}) return 'noop(500)';
    answers.shift();
    waits = 0;
  }
  return answers.shift() ?? null;
};
`;
}

/** The actions of an attack's commands: all that they print is seen, or stands where the answer is looked for. */
function actionsOf({ actions = [], lines = [], aim }: Attack, kind: Kind): readonly Answer[] {
  if (kind !== 'desktop') {
    return [...actions, ...lines.map((line) => `run(${JSON.stringify(`(${line}) 2>&1 | head -c 4000`)}, 20)`)];
  }
  const kept = aim === 'learn' ? ' 2>&1 | tee answer.txt' : '';
  // An interactive shell would refuse lines with “!” in quotes.
  const asScript = lines.length === 0 ? [] : ["keyboard_type('set +H')", "keyboard_press('Enter')"];
  return [...actions, ...asScript, ...lines.flatMap((line, index) => typed(`(${line})${kept}`, index + 1))];
}

/** Writes the agent of an attack; how it is named to a run. */
async function agentOf(attack: Attack, kind: Kind, folder: string, site: string): Promise<string> {
  if (attack.outside !== undefined) return 'mcp';
  const fill = (text: string): string => text.replaceAll('{folder}', folder).replaceAll('{site}', site);
  if (attack.python !== undefined) {
    await writeFile(join(folder, 'agent.py'), fill(attack.python));
    return 'process:python3 agent.py';
  }
  const actions = actionsOf(attack, kind).map((answer) => (typeof answer === 'string' ? fill(answer) : answer));
  await writeFile(join(folder, 'robot.agent.ts'), attack.module ?? answering(actions));
  return 'module:robot.agent.ts';
}

/** What no answer of its run tells to an external agent. */
const HIDDEN_FROM_OUTSIDE = new RegExp(`${ANSWER}|reward|subscores|trace_dir`);

/** Lets a client of MCP attack the run that waits for it, and finishes the run afterwards. */
function outsideAttack(attack: NonNullable<Attack['outside']>, folder: string) {
  const heard: string[] = [];
  let attacking: Promise<void> = Promise.resolve();
  const attackAt = async ({ url, token }: AgentAddress): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const accept = 'application/json, text/event-stream';
    const ask = async (path: string | null, request: RequestInit): Promise<void> => {
      try {
        const answer = await fetch(new URL(path ?? url, url), { ...request, headers: { ...headers, accept } });
        heard.push(await answer.text());
      } catch {
        // The run is over.
      }
    };
    const call = (name: string, args: unknown): Promise<void> => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
      return ask(null, { method: 'POST', body: JSON.stringify(message).replaceAll('{folder}', folder) });
    };
    await attack({ url, call, ask });
    await call('finish', {});
  };
  return {
    listen: (event: RunEvent): void => {
      if (event.type === 'waiting' && event.address !== null) attacking = attackAt(event.address);
    },
    heard: async () => {
      await attacking;
      return heard;
    },
  };
}

/** Processes of this machine that an agent has left. */
async function survivors(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.split('\0').join(' ').trim().endsWith(SLEEP)) found.push(pid);
  }
  return found;
}

/** Everything that an agent was told: the beginning of the task, and what its actions gave. */
async function toldTo({ trace_dir }: RunRecord): Promise<string[]> {
  const steps = await (await openRun(trace_dir ?? '')).steps();
  return steps
    .filter(({ source }) => source === 'agent' || source === 'system')
    .flatMap(({ observation, error }) => [observation?.text ?? '', error?.message ?? '']);
}

/** Lets an agent attack a task, and holds what must hold of every attack. */
export async function attempt(attack: Attack, kind: Kind, placement: Placement, site: string): Promise<void> {
  const folder = await taskFolder(kind);
  const agent = await agentOf(attack, kind, folder, site);
  const before = (await readdir(folder)).sort();

  const outside = attack.outside === undefined ? null : outsideAttack(attack.outside, folder);
  const record = await run(kind, folder, agent, placement, attack.timeoutMs, outside?.listen);
  for (const text of (await outside?.heard()) ?? []) expect(text).not.toMatch(HIDDEN_FROM_OUTSIDE);

  // It has lost: no success, no error that counts in no mean.
  expect(record).toMatchObject({ status: 'completed', reward: 0, error: null });
  // It was told the answer nowhere, and was nobody else.
  const told = await toldTo(record);
  for (const text of told) {
    expect(text).not.toContain(ANSWER);
    expect(text).not.toMatch(/^uid=0\b/m);
  }
  // It was carried out. In a container it may have ended its terminal.
  if (kind === 'desktop' && attack.dockerOnly !== true) {
    for (const index of (attack.lines ?? []).keys()) expect(told.join('\n')).toContain(endOf(index + 1));
  }
  // It has left no file and no process.
  expect((await readdir(folder)).filter((name) => name !== 'out').sort()).toEqual(before);
  await vi.waitFor(async () => expect(await survivors()).toEqual([]), { timeout: 120_000, interval: 100 });
}

/** A task is solved in the same place after the attacks. */
export async function solve(kind: Kind, placement: Placement): Promise<void> {
  const folder = await taskFolder(kind);
  if (kind === 'desktop') await writeFile(join(folder, 'robot.agent.ts'), answering(typed(SOLVING_COMMAND, 1)));
  const agent = kind === 'desktop' ? 'module:robot.agent.ts' : 'replay:secret.actions';
  const record = await run(kind, folder, agent, placement);
  expect(record).toMatchObject({ status: 'completed', reward: 1 });
}
