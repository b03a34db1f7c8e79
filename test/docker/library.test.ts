import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import type * as Library from '../../src/library/library.ts';
import { openRun } from '../../src/traces/store.ts';
import { itLong } from '../sample.ts';
import { dist } from '../system/programs.ts';
import { builtImage, containersOf, nothingLeftOf, temporaryFolder } from './harness.ts';

const { openEnvironment, run } = createRequire(import.meta.url)(join(dist, 'library.js')) as typeof Library;

const TASKS = [
  { id: 'sum', prompt: 'What is 2 + 2?', gym: 'qa', evaluate: ['response_is', '4'] },
  {
    id: 'join',
    prompt: 'Join the newsletter.',
    setup: ['load_html_content', `<button onclick="document.body.textContent = 'Welcome'">Join</button>`],
    evaluate: ['page_contains', 'Welcome'],
  },
];

beforeAll(builtImage);

itLong(
  'a program acts in a container and runs jobs in containers, and leaves none behind',
  async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'shop.tasks.json'), JSON.stringify(TASKS));
    {
      await using environment = await openEnvironment('shop.tasks.json#join', { cwd, placement: 'docker' });
      const { prompt, observation } = await environment.reset({ seed: 1 });
      expect([prompt, observation.screenshot?.width]).toEqual(['Join the newsletter.', 1280]);
      expect(await containersOf(process.pid)).toHaveLength(1);
      expect(await environment.step("click('button')")).toMatchObject({ reward: 1, terminated: true });
      const { grade } = await environment.evaluate();
      expect(grade).toMatchObject({ reward: 1, subscores: [{ name: 'page_contains("Welcome")', value: 1 }] });
    }
    await nothingLeftOf(process.pid);

    const { runs, statistics } = await run('shop.tasks.json', {
      cwd,
      placement: 'docker',
      agent: (_observation, { prompt, step }) => {
        if (step > 0) return null;
        return prompt.startsWith('What') ? "send_msg_to_user('4')" : "click('button')";
      },
    });
    expect(statistics).toMatchObject({ runs: 2, successes: 2 });
    const headers = await Promise.all(runs.map(async ({ trace_dir }) => (await openRun(trace_dir ?? '')).header));
    expect(headers.map(({ runtime }) => runtime)).toEqual(['docker', 'docker']);
    await nothingLeftOf(process.pid);
  },
  300_000,
);
