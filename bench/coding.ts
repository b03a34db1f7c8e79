import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY_RANGE } from '../src/base/range.ts';
import { CodingEnvironment } from '../src/environments/coding/environment.ts';
import type { Task } from '../src/tasks/task.ts';
import { type Figure, median } from './figures.ts';

const FILES = 2_000;
const TIMES = 15;

/** A coding task of 2,000 files: its beginning, and a step that changes one of them. */
export async function coding(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'taskwright-bench-'));
  const environment = new CodingEnvironment(() => {});
  try {
    for (let index = 0; index < FILES; index++) {
      const below = join(folder, 'project', `part${index % 40}`);
      mkdirSync(below, { recursive: true });
      writeFileSync(join(below, `file${index}.py`), `# ${index}\n${'value = 1\n'.repeat(200)}`);
    }
    const resets: number[] = [];
    const steps: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      await environment.close();
      const start = performance.now();
      await environment.reset({ task: task(join(folder, 'a.task.json')), files: { folder }, seed: 0 });
      resets.push(performance.now() - start);
      const before = performance.now();
      await environment.step([{ type: 'run', cmd: 'echo changed > part7/file7.py' }]);
      steps.push(performance.now() - before);
    }
    return [limit('reset of 2,000 files', resets, 300), limit('step in 2,000 files', steps, 100)];
  } finally {
    await environment.close();
    rmSync(folder, { recursive: true });
  }
}

function limit(name: string, times: readonly number[], most: number): Figure {
  const ours = median(times);
  return { name, against: 'the limit', ours, theirs: most, unit: 'ms', ratio: ours / most, aim: { atMost: 1 } };
}

function task(file: string): Task {
  return {
    ...{ file, index: 0, id: 'a', era: '0.2', range: EMPTY_RANGE, name: null, description: null, prompt: 'Do it' },
    ...{ system_prompt: null, env: { type: 'coding', folder: 'project' }, tags: [], initial_state: {}, setup: [] },
    ...{ evaluate: [], config: null, sensitive_data: {}, metadata: {}, max_steps: null },
  };
}
