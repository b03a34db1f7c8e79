import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CurrentTasks } from '../../../src/runs/selection/current-tasks.ts';
import { serversOf, type WithServer } from '../../../src/runs/selection/own-tasks.ts';
import { solutionOf, solutionPath } from '../../../src/runs/solutions/solution-file.ts';
import { FakePlacement } from './fake-placement.ts';
import { fileIn, temporaryFolder } from './tasks.ts';

/** A server with OpenEnv's Task API and two tasks. */
async function wordServer(): Promise<string> {
  const answers: Readonly<Record<string, unknown>> = {
    '/list_environments': ['words'],
    '/words/splits': [{ name: 'train' }],
    '/words/num_tasks': { num_tasks: 2 },
    '/words/task_range': { tasks: [{ prompt: 'Guess the second word.' }] },
  };
  const server = createServer((request, response) => {
    request.resume();
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? null));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A file with a task in an environment that is started for its runs. */
async function wordFile(): Promise<string> {
  const gym = { type: 'openenv', folder: './words', reset: { seed: 1 } };
  const row = { id: 'play', prompt: 'Play.', gym, max_steps: 5 };
  return await fileIn(await temporaryFolder(), 'words.tasks.json', JSON.stringify([row]));
}

const OWN = {
  prompt: 'Guess the second word.',
  max_steps: 5,
  env: { type: 'openenv', folder: './words', reset: { seed: 1, split: 'train', index: 1 } },
};

it('an own task of an environment without an address is read from the server that is started for it', async () => {
  const file = await wordFile();
  const http = await wordServer();
  const opened: string[] = [];
  const servers = serversOf(async (kind) => {
    opened.push(kind);
    return new FakePlacement({ lease: { address: http } });
  });
  const now = new CurrentTasks(servers);
  const row = await now.row({ file, id: 'words/train/1', index: 0 });
  expect(row?.task).toMatchObject({ id: 'words/train/1', ...OWN });
  expect(opened).toEqual(['local']);
  expect(await now.row({ file, id: 'words/train/2', index: 0 })).toBeUndefined();
  expect(await now.row({ file, id: 'others/train/1', index: 0 })).toBeUndefined();
});

it('a server that cannot be started is the reason why its task is not found', async () => {
  const file = await wordFile();
  const servers = serversOf(async () => {
    const placement = new FakePlacement();
    const { ServerError } = await import('../../../src/placement/placement.ts');
    placement.open = () => Promise.reject(new ServerError('start_failed', 'The folder has no server.'));
    return placement;
  });
  const row = new CurrentTasks(servers).row({ file, id: 'words/train/1', index: 0 });
  await expect(row).rejects.toThrow('The folder has no server.');
});

it('re-scoring takes such a task as it was recorded, and starts nothing', async () => {
  const file = await wordFile();
  const none: WithServer | null = null;
  const recorded = { file, id: 'words/train/1', index: 0, prompt: OWN.prompt, env: OWN.env };
  expect((await new CurrentTasks(none).row(recorded))?.task).toMatchObject(OWN);
  // The file has no task in this environment any more.
  const env = { ...OWN.env, folder: './other' };
  expect(await new CurrentTasks(none).row({ ...recorded, env })).toBeUndefined();
});

it('the solution of an own task is a file beside the task file', async () => {
  const file = await wordFile();
  const own = { file, id: 'words/train/1', index: 0 };
  expect(solutionPath(own)).toBe(join(dirname(file), 'words-train-1.actions'));
  expect(solutionOf(own)).toBeNull();
  const path = await fileIn(dirname(file), 'words-train-1.actions', 'look()\n');
  expect(solutionOf(own)).toBe(path);
  expect(solutionPath({ ...own, id: 'a/b' })).toBeNull();
});
