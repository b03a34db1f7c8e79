import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { missingPrograms } from '../../../src/environments/desktop/programs.ts';
import { isLong, itLong } from '../../sample.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { start, startForAll } from '../cli/program.ts';
import { missing as missingPages } from '../environments/miniwob-pages.ts';
import { root } from '../programs.ts';
import { drive, hasOpenEnv, listening, run, type Sent, serve } from './serving.ts';

const CAPITAL = { id: 'capital', prompt: 'Capital of France?', gym: 'qa', evaluate: ['response_includes', 'Paris'] };
const PAGE = {
  id: 'page',
  prompt: 'Say thanks',
  gym: 'hud-browser',
  setup: ['load_html_content', '<button onclick="document.body.textContent = `Thanks`">Go</button>'],
  evaluate: ['page_contains', 'Thanks'],
};
const FILES = {
  id: 'files',
  prompt: 'Write hello into a.txt',
  gym: { type: 'coding', files: { 'b.txt': 'b\n' } },
  evaluate: ['file_contains', 'a.txt', 'hello'],
};

const AT_END = { ...FILES, id: 'judged-at-the-end', max_steps: 2, metadata: { evaluate: 'end' } };
const CLICK = { id: 'click', gym: { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' } };

async function folderWith(...tasks: readonly object[]): Promise<string> {
  const folder = await temporaryFolder();
  await fileIn(folder, 'some.tasks.json', JSON.stringify(tasks));
  return folder;
}

/** The records of all runs that a server has made in its folder. */
async function recordsIn(folder: string): Promise<unknown[]> {
  const root = join(folder, '.taskwright', 'jobs');
  const [job = ''] = await readdir(root);
  const runs = (await readdir(join(root, job), { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return await Promise.all(
    runs.map(async ({ name }) => JSON.parse(await readFile(join(root, job, name, 'run.json'), 'utf8'))),
  );
}

const FIELDS = [
  'metadata',
  'text',
  'url',
  'screenshot',
  'goal',
  'axtree_txt',
  'pruned_html',
  'error',
  'last_action_error',
];

/** The actions of a solution, as a client sends them. */
async function solutionOf(example: string, id: string): Promise<Sent[]> {
  const text = await readFile(join(root, 'examples', example, `${id}.actions`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*(\/\/|#)/.test(line))
    .map((line) => ['step', line] as const);
}

/** What `browsergym_env` gives for click-test with seed 0, recorded with BrowserGym 0.14.3. */
const CLICK_TEST_HTML = `<head bid="1">
 <title bid="2">
  Click Test Task
 </title>
</head>
<div bid="10" id="wrap">
 <div bid="11" id="query">
 </div>
 <div bid="12" id="area">
  <button bid="13" id="subbtn" style="margin-left:47px; margin-top:93px; width:48px; height:48px;" value="">
   Click Me!
  </button>
 </div>
</div>
`;

const EXAMPLES = ['login', 'desktop', ...(isLong ? ['custom-tasks', 'lights', 'openenv'] : [])];

/** Serves a folder for the tests of a group; its address, once it is there. */
function serveForAll(prepare: (folder: string) => Promise<void>, ...options: readonly string[]): () => string {
  let [url, folder] = ['', ''];
  let stop: () => Promise<void>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'taskwright-served-'));
    await prepare(folder);
    const started = startForAll(['serve', '.', '--port', '0', '--json', ...options], folder, {}, true);
    stop = started.stop;
    url = (await listening(started)).url;
  });
  afterAll(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });
  return () => url;
}

describe.runIf(hasOpenEnv)('Served tasks', () => {
  // One server for most tests, because each start of one, and the first browser of each, takes long. Without screenshots,
  // which the client reads as JSON for longer than everything else takes.
  const address = serveForAll(async (folder) => {
    await fileIn(folder, 'some.tasks.json', JSON.stringify([CAPITAL, PAGE, FILES, AT_END]));
    for (const example of EXAMPLES) {
      await cp(join(root, 'examples', example), join(folder, example), { recursive: true });
    }
  }, '--no-screenshots');

  it('pass the validation of OpenEnv', async () => {
    const said = await run('python3', '-m', 'openenv.cli', 'validate', '--url', address());
    expect(said.match(/PASS {2}/g)).toHaveLength(6);
    expect(said).toContain('Verdict: PASS');
  });

  it('are run by the Python client: a question', async () => {
    const folder = await folderWith(CAPITAL);
    const { url, child, ended } = await serve(folder, '--manifest');
    expect(parse(await readFile(join(folder, 'openenv.yaml'), 'utf8'))).toEqual({
      spec_version: 1,
      name: 'taskwright',
      version: expect.any(String),
      description: expect.any(String),
      type: 'space',
      runtime: 'docker',
      port: Number(new URL(url).port),
    });
    const [reset, step, over, state] = await drive(url, [
      ['reset', { task: 'capital', seed: 7, episode_id: 'mine' }],
      ['step', "send_msg_to_user('It is Paris.')"],
      ['step', 'noop()'],
      ['state', null],
    ]);
    expect(reset).toMatchObject({ reward: null, done: false, observation: { goal: CAPITAL.prompt, screenshot: null } });
    expect(step).toMatchObject({ reward: 1, done: true });
    expect(over?.error).toContain('The episode is over.');
    expect(state).toMatchObject({ episode_id: 'mine', step_count: 1, task_id: 'capital', cum_reward: 1 });
    child.stdin.end();
    expect(await ended).toMatchObject({ code: 0 });
    expect(await recordsIn(folder)).toMatchObject([
      { task_id: 'capital', status: 'completed', reward: 1, seed: 7, steps: 1 },
    ]);
  });

  it('are run by the Python client: files', async () => {
    const [, listed, written] = await drive(address(), [
      ['reset', { task: 'files' }],
      ['step', JSON.stringify({ type: 'run', cmd: 'ls' })],
      ['step', JSON.stringify({ type: 'run', cmd: 'echo hello > a.txt' })],
    ]);
    expect(listed).toMatchObject({ reward: 0, done: false, observation: { outputs: [{ output: 'b.txt\n' }] } });
    expect(written).toMatchObject({
      reward: 1,
      done: true,
      observation: { changes: [{ path: 'a.txt', kind: 'added' }] },
    });
  });

  it('are judged at the end only if they say so', async () => {
    const [reset, reached, undone] = await drive(address(), [
      ['reset', { task: 'judged-at-the-end' }],
      ['step', JSON.stringify({ type: 'run', cmd: 'echo hello > a.txt' })],
      ['step', JSON.stringify({ type: 'run', cmd: 'rm a.txt' })],
    ]);
    expect([reset, reached]).toMatchObject([
      { reward: null, done: false },
      { reward: null, done: false },
    ]);
    expect(undone).toMatchObject({ reward: 0, done: true });
  });

  it.each([
    ['a page', 'login', 'log-in', []],
    ['a desktop', 'desktop', 'final-report', ['outputs', 'windows']],
  ])('are solved by the Python client as by their solutions: %s', solvesAsItsSolution);

  itLong.each([
    ['a class of your own', 'custom-tasks', 'copy-the-note', []],
    ['a custom environment', 'lights', 'lights-out', []],
    ['an OpenEnv environment', 'openenv', 'first-steps', ['data']],
  ])('of other kinds are solved by the Python client as by their solutions: %s', solvesAsItsSolution);

  async function solvesAsItsSolution(_kind: string, example: string, id: string, more: readonly string[]) {
    if (example === 'desktop' && (await missingPrograms()).length > 0) return;
    const answers = await drive(address(), [['reset', { task: id }], ...(await solutionOf(example, id))]);
    // A success ends the episode, even before the last action of the solution.
    const got = answers.slice(0, answers.findIndex(({ done }) => done) + 1);
    expect(got.at(-1)).toMatchObject({ reward: 1, done: true });
    const fields = [...FIELDS, ...more].toSorted();
    for (const { observation } of got) expect(Object.keys(observation).toSorted()).toEqual(fields);
  }

  it('run in several sessions at once, which do not disturb each other', async () => {
    const page: Sent[] = [
      ['reset', { task: 'page' }],
      ['step', { action: "click('BID')", on: "button 'Go'" }],
    ];
    const files: Sent[] = [
      ['reset', { task: 'files' }],
      ['step', JSON.stringify({ type: 'run', cmd: 'sleep 1; ls' })],
    ];
    const got = await Promise.all([page, files, page, files].map((sent) => drive(address(), sent)));
    expect(got.map((one) => one[1]?.reward)).toEqual([1, 0, 1, 0]);
    for (const one of [got[1], got[3]]) expect(one?.[1]?.observation['changes']).toEqual([]);
  });

  it('are run by the MCP client, which learns no reward', async () => {
    // Without a reset the next of all tasks begins.
    const { url, agent_token: token } = await serve(await folderWith(CAPITAL));
    const [tools, seen, , acted] = await drive(
      url,
      [
        ['list_tools', null],
        ['call_tool', { name: 'observe' }],
        ['reset', { task: 'capital' }],
        ['call_tool', { name: 'act', action_str: "send_msg_to_user('Paris')" }],
      ],
      'mcp',
      token,
    );
    expect(tools).toEqual(['act', 'observe']);
    expect(seen).toContain('Task: Capital of France?');
    expect(acted).toContain('The episode is over.');
    expect(JSON.stringify([seen, acted])).not.toMatch(/reward|response_includes|1\.0/);
  });

  it('give no command the tokens of the server', async () => {
    const folder = await folderWith(FILES);
    const variables = { TASKWRIGHT_TOKEN: 'zebra', TASKWRIGHT_AGENT_TOKEN: 'giraffe', SHOP_API_KEY: 'okapi' };
    const { url, token } = await listening(start(['serve', '.', '--port', '0', '--json'], folder, variables, true));
    const [, listed] = await drive(
      url,
      [
        ['reset', { task: 'files' }],
        ['step', JSON.stringify({ type: 'run', cmd: 'env' })],
      ],
      'generic',
      token,
    );
    expect(JSON.stringify(listed)).toContain('PATH=');
    expect(JSON.stringify(listed)).not.toMatch(/zebra|giraffe|okapi/);
  });

  it('do not end for an agent by a success, after which its actions change no reward', async () => {
    const folder = await folderWith({ ...PAGE, max_steps: 4 });
    const { url, agent_token: token } = await serve(folder);
    const call = async (method: string, params: object): Promise<string> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
      return await response.text();
    };
    const { session_id } = JSON.parse(await call('openenv/session/create', {})).result;
    const act = (action_str: string) => call('tools/call', { session_id, name: 'act', arguments: { action_str } });
    const success = await act("click('button')");
    expect(success).toContain('Thanks');
    const left = await act("goto('about:blank')");
    expect(left).not.toContain('Thanks');
    expect(await act('noop(1)')).not.toMatch(/over|reward/i);
    // The limit of steps ends it, as without a success.
    expect(await act('noop(1)')).toContain('The episode is over.');
    expect(await act('noop(1)')).toContain('The episode is over.');
    await call('openenv/session/close', { session_id });
    expect(await recordsIn(folder)).toMatchObject([{ reward: 1, success: true, steps: 1 }]);
  });

  it('are taken in an order of the seed where no one names one, and an unknown id is an error', async () => {
    const tasks = ['a', 'b', 'c'].map((id) => ({ ...CAPITAL, id }));
    const order = async (seed: string): Promise<unknown[]> => {
      const { url } = await serve(await folderWith(...tasks), '--seed', seed);
      const sent = [1, 2, 3, 4, 5, 6].flatMap(() => [['reset', {}] as const, ['state', null] as const]);
      const got = await drive(url, [...sent, ['reset', { task: 'bb' }]]);
      expect(got.at(-1)?.error).toContain('There is no task “bb”. Did you mean “b”?');
      return got.slice(0, -1).flatMap((one) => ('task_id' in one ? [one.task_id] : []));
    };
    const [first, again] = await Promise.all([order('1'), order('1')]);
    expect(first.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
    expect(first.slice(3).toSorted()).toEqual(['a', 'b', 'c']);
    expect(again).toEqual(first);
  });

  describe('with screenshots', () => {
    const pictured = serveForAll(async (folder) => {
      await fileIn(folder, 'some.tasks.json', JSON.stringify([PAGE, CLICK]));
    });

    it('are run by the Python client: a page, whose evaluate calls are asked after each step', async () => {
      const [reset, wrong, right] = await drive(pictured(), [
        ['reset', { task: 'page' }],
        ['step', "click('nothing')"],
        ['step', { action: "click('BID')", on: "button 'Go'" }],
      ]);
      expect(reset).toMatchObject({ reward: null, done: false, observation: { screenshot: [720, 1280, 3] } });
      expect(reset?.observation['axtree_txt']).toContain("button 'Go'");
      expect(reset?.observation['pruned_html']).toMatch(/<button bid="3" onclick="[^"]+" value="">\n Go\n<\/button>/);
      expect(wrong).toMatchObject({ reward: 0, done: false, observation: { last_action_error: true } });
      expect(right).toMatchObject({ reward: 1, done: true, observation: { last_action_error: false } });
    });

    it.runIf(missingPages === null)('of MiniWoB++ have the fields and the rewards of browsergym_env', async () => {
      const [reset, wrong, right, state] = await drive(pictured(), [
        ['reset', { task: 'click', seed: 0 }],
        ['step', "click('9999')"],
        ['step', { action: "click('BID')", on: "button 'Click Me!'" }],
        ['state', null],
      ]);
      for (const { observation } of [reset, wrong, right].flatMap((one) => one ?? [])) {
        expect(Object.keys(observation).toSorted()).toEqual(FIELDS.toSorted());
        expect(observation).toMatchObject({ goal: 'Click the button.', screenshot: [321, 498, 3], error: '' });
      }
      expect(reset).toMatchObject({ reward: 0, done: false, observation: { pruned_html: CLICK_TEST_HTML } });
      // The ids that BrowserGym gives: of the body, and of the button that was clicked.
      expect([reset, right].map((one) => one?.observation['metadata'])).toMatchObject([
        {
          browsergym_obs: {
            focused_element_bid: '9',
            last_action: '',
            chat_messages: [{ role: 'user', message: 'Click the button.' }],
          },
        },
        {
          browsergym_obs: {
            focused_element_bid: '13',
            last_action: "click('13')",
            open_pages_titles: ['Click Test Task'],
          },
        },
      ]);
      expect(wrong).toMatchObject({ reward: 0, done: false, observation: { last_action_error: true } });
      expect(right).toMatchObject({ reward: 1, done: true });
      expect(state).toMatchObject({ benchmark: 'miniwob', task_name: 'click-test', step_count: 2, cum_reward: 1 });
    });
  });
});
