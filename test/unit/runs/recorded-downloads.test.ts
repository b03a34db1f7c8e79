import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RecordedDownload } from '../../../src/environments/recorded.ts';
import { Recording } from '../../../src/runs/rescoring/recording.ts';
import { SnapshotEvaluator } from '../../../src/runs/rescoring/snapshot-evaluator.ts';
import { attempt } from './attempt.ts';
import { FakePlacement, seen } from './fake-placement.ts';
import { call, task } from './tasks.ts';

const content = Buffer.from('a,b');
const hash = createHash('sha256').update(content).digest('hex');
const beginning: RecordedDownload = { id: 0, name: 'report.csv', state: 'started', size: null };
const whole: RecordedDownload = { id: 0, name: 'report.csv', state: 'completed', size: 3, content: hash };
const page = { recorded: { page: Buffer.from('page'), resources: {}, actions: [] } };

it('downloads are recorded and restored, and the end of a run waits for one in progress', async () => {
  const { placement, folder } = await attempt({
    task: { env: { type: 'hud-browser' }, evaluate: [call('file_downloaded', ['report.csv'])] },
    lines: "click('1')\nclick('2')",
    answers: {
      step: (_, count) =>
        count === 1
          ? seen('after', { info: { downloads: [whole] }, contents: { [hash]: content }, ...page })
          : seen('after', { info: { downloads: [{ ...beginning, id: 1 }] }, ...page }),
    },
  });
  expect(placement.methods).toContain('session.finish');

  const recording = await Recording.open(folder);
  expect(recording.at(1).downloads).toEqual({ folder, list: [whole] });
  expect(recording.at(2).downloads?.list).toEqual([whole, { ...beginning, id: 1 }]);

  const first = new FakePlacement();
  const evaluator = new SnapshotEvaluator(first);
  const { signal } = new AbortController();
  const browserTask = task({ env: { type: 'hud-browser' } });
  const evaluate = (name: string) => evaluator.evaluate([call(name, ['x'])], recording.at(1), browserTask, signal);
  await evaluate('file_downloaded');
  expect(first.requests.find(({ method }) => method === 'session.restore')?.params).toMatchObject({
    downloads: [whole],
    resources: { [hash]: content },
  });
  await evaluator.close();

  // A content with a masked secret is not the one that came.
  await writeFile(join(folder, 'files', hash), 'masked');
  const later = new FakePlacement();
  const other = new SnapshotEvaluator(later);
  await other.evaluate([call('file_downloaded', ['x'])], recording.at(1), browserTask, signal);
  expect(later.requests.find(({ method }) => method === 'session.restore')?.params).toMatchObject({ resources: {} });
  await other.close();
});
