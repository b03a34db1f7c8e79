import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { itLong } from '../sample.ts';
import { start } from '../system/cli/program.ts';
import { drive, listening, type Sent } from '../system/serving/serving.ts';
import { builtImage, containersOf, published, temporaryFolder } from './harness.ts';

let image = '';
beforeAll(async () => {
  image = await builtImage();
}, 600_000);

/** Tasks of a class that stands in a module of a name that is not looked for by itself. */
async function cards(): Promise<string> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const gym = { type: 'browsergym', benchmark: 'custom', task_name: 'cards' };
  await writeFile(join(folder, 'cards.task.json'), JSON.stringify({ id: 'cards', prompt: 'Go.', gym }));
  await writeFile(join(folder, 'cards.actions'), "click('#go')\n");
  await writeFile(
    join(folder, 'house.ts'),
    `import { CustomBrowserTask, registerCustomTask } from 'taskwright';
class Cards extends CustomBrowserTask {
  html(): string { return '<button id="go" onclick="this.textContent = 1">0</button>'; }
  reward({ text }: { text: string }): number { return Number(text); }
  done({ text }: { text: string }): boolean { return text === '1'; }
}
registerCustomTask('cards', Cards);
`,
  );
  return folder;
}

itLong(
  'OPENENV_TASK_MODULE names a module in a folder that is mounted into the image',
  async () => {
    const folder = await cards();
    const ran = (...variables: string[]) =>
      new Promise<{ readonly code: number; readonly runs: readonly object[] }>((resolve) => {
        const named = variables.flatMap((one) => ['-e', one]);
        const mount = ['-v', `${folder}:/opt/openenv/custom_tasks:ro`];
        const args = ['run', '--rm', ...named, ...mount, image, 'taskwright', 'run', '--json'];
        const program = execFile('docker', args, (error, out) => {
          resolve({ code: error === null ? 0 : Number(error.code), runs: JSON.parse(out).runs });
        });
        program.stdin?.end();
      });

    expect(await ran('OPENENV_TASK_MODULE=house')).toMatchObject({ code: 0, runs: [{ task_id: 'cards', reward: 1 }] });
    expect(await ran()).toMatchObject({ code: 2, runs: [{ error: { code: 'custom-task' } }] });
  },
  300_000,
);

test('A run in a container is given OPENENV_TASK_MODULE', async () => {
  const folder = await cards();
  const program = start(['run', 'cards.task.json', '--placement', 'docker', '--json'], folder, {
    OPENENV_TASK_MODULE: 'house',
  });
  const { code, out, err } = await program.ended;

  expect(code, err).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ runs: [{ task_id: 'cards', reward: 1, status: 'completed' }] });
  expect(await containersOf(program.child.pid)).toEqual([]);
}, 300_000);

const SOLVED: readonly Sent[] = [
  ['reset', { task: 'cards' }],
  ['step', "click('#go')"],
];

test('A container that serves tasks is given OPENENV_TASK_MODULE', async () => {
  const mount = ['-v', `${await cards()}:/opt/openenv/custom_tasks:ro`];
  const url = await published('-e', 'OPENENV_TASK_MODULE=house', ...mount, image);
  expect((await drive(url, SOLVED)).at(-1)).toMatchObject({ reward: 1, done: true });
}, 300_000);

itLong(
  'Sessions of served tasks are given OPENENV_TASK_MODULE in their containers',
  async () => {
    const folder = await cards();
    const program = start(
      ['serve', '.', '--placement', 'docker', '--port', '0', '--json', '--out', 'runs'],
      folder,
      {
        OPENENV_TASK_MODULE: 'house',
      },
      true,
    );
    const { url } = await listening(program);
    expect((await drive(url, SOLVED)).at(-1)).toMatchObject({ reward: 1, done: true });
    program.child.stdin.end();
    await program.ended;
    const [trace = ''] = (await readdir(join(folder, 'runs'), { recursive: true })).filter((name) =>
      name.endsWith('trace.jsonl'),
    );
    const [first = ''] = (await readFile(join(folder, 'runs', trace), 'utf8')).split('\n');
    expect(JSON.parse(first)).toMatchObject({ runtime: 'docker' });
    expect(await containersOf(program.child.pid)).toEqual([]);
  },
  300_000,
);

itLong(
  'A task class in Python runs in a container, under the name that its module has in the proposal',
  async () => {
    const folder = await cards();
    await writeFile(
      join(folder, 'my_task.py'),
      `from browsergym_env.server.custom.custom_base import CustomBrowserGymEnvironment

@register_custom_task("cards")
class Cards(CustomBrowserGymEnvironment):
    def _get_html_content(self):
        return '<button id="go" onclick="this.textContent = 1">0</button>'

    def _calculate_reward(self, page_data, action, error):
        return int(page_data["text"])

    def _check_done(self, page_data):
        return page_data["text"] == "1"
`,
    );
    const program = start(['run', 'cards.task.json', '--placement', 'docker', '--json'], folder, {
      OPENENV_TASK_MODULE: 'custom_tasks.my_task',
    });
    const { code, out, err } = await program.ended;

    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ runs: [{ task_id: 'cards', reward: 1, status: 'completed' }] });
    expect(await containersOf(program.child.pid)).toEqual([]);
  },
  300_000,
);
