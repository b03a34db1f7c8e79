import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Withheld } from '../../../src/environments/withheld.ts';
import { listContext } from '../../../src/placement/docker/custom/context.ts';
import { filesFor, TASK_MOUNT } from '../../../src/placement/task-folder.ts';
import { task } from '../../unit/runs/tasks.ts';
import { ALLOWED, ANSWER, known, workspace } from './workspace.ts';

const of = (folder: string) => task({ file: join(folder, 'questions.json') });
/** What the environment server carries out; its pages and uploads refuse it. */
const CARRIED_OUT = 'shop.functions.ts';

describe('what a container gets of a folder of tasks', () => {
  it('holds nothing that the run knows but the functions that it carries out', async () => {
    const folder = workspace();
    const files = await filesFor(of(folder), null, undefined, known(folder));
    if (!('contents' in files)) throw new Error('no files');
    expect(Object.keys(files.contents).sort()).toEqual([...ALLOWED, CARRIED_OUT].sort());
    for (const [path, content] of Object.entries(files.contents)) {
      if (path !== CARRIED_OUT) expect(Buffer.from(content).toString(), path).not.toContain(ANSWER);
    }
  });

  it('is told what to withhold where it has the folder mounted', async () => {
    const folder = workspace();
    chmodSync(folder, 0o755);
    const files = await filesFor(of(folder), TASK_MOUNT, undefined, known(folder));
    expect(files).toEqual({
      folder: TASK_MOUNT,
      withheld: [
        { path: 'questions.json', role: 'task' },
        { path: 'others.json', role: 'task' },
        { path: 'hudtasks.py', role: 'task' },
        { path: 'a.actions', role: 'solution' },
        { path: 'steps.js', role: 'solution' },
        { path: 'robot.js', role: 'agent' },
        { path: 'recorded', role: 'trace' },
        { path: 'lib/check.js', role: 'functions' },
      ],
    });
  });

  it('does not get the folder mounted where a file outside of it may have another name in it', async () => {
    const folder = workspace();
    chmodSync(folder, 0o755);
    const elsewhere = mkdtempSync(join(tmpdir(), 'taskwright-elsewhere-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    const agent = join(elsewhere, 'bot.js');
    writeFileSync(agent, `// ${ANSWER}\n`);
    linkSync(agent, join(folder, 'pages', 'script.js'));
    const withheld = [...known(folder), { path: agent, role: 'agent' as const }];
    const files = await filesFor(of(folder), TASK_MOUNT, undefined, withheld);
    expect(Object.keys('contents' in files ? files.contents : {}).sort()).toEqual([...ALLOWED, CARRIED_OUT].sort());
  });

  it('holds nothing that the run knows as the build context of a controller', async () => {
    const folder = workspace();
    const withheld = new Withheld(folder, known(folder));
    const names = async (context: string) => (await listContext(context, withheld)).map(({ name }) => name);
    expect(await names(folder)).toEqual(ALLOWED);
    mkdirSync(join(folder, 'controller'));
    linkSync(join(folder, 'questions.json'), join(folder, 'controller', 'data.json'));
    writeFileSync(join(folder, 'controller', 'main.py'), '');
    symlinkSync(folder, join(folder, 'by-link'));
    expect(await names(join(folder, 'by-link', 'controller'))).toEqual(['main.py']);
  });
});
