import { expect, it } from 'vitest';
import { Placements } from '../../../src/placement/placements.ts';
import type { PlacementKind } from '../../../src/tasks/placement-kind.ts';
import { FakePlacement } from '../runs/fake-placement.ts';

function counting(): { placements: Placements; made: PlacementKind[]; of: FakePlacement[] } {
  const made: PlacementKind[] = [];
  const of: FakePlacement[] = [];
  const placements = new Placements(async (kind) => {
    made.push(kind);
    const placement = new FakePlacement({}, kind);
    of.push(placement);
    return placement;
  });
  return { placements, made, of };
}

it('makes each kind once, and only those that are asked for', async () => {
  const { placements, made } = counting();
  const [one, other] = await Promise.all([placements.get('docker'), placements.get('docker')]);
  expect(one).toBe(other);
  expect(made).toEqual(['docker']);
  expect((await placements.all()).map(({ kind }) => kind)).toEqual(['docker']);
});

it('ends one kind and makes it anew for whoever asks next', async () => {
  const { placements, made, of } = counting();
  await placements.get('local');
  await placements.get('docker');
  await placements.dispose('docker');
  expect(of.map(({ disposed }) => disposed)).toEqual([false, true]);
  await placements.get('docker');
  expect(made).toEqual(['local', 'docker', 'docker']);
  await placements.dispose();
  expect(of.map(({ disposed }) => disposed)).toEqual([true, true, true]);
});

it('tries again to make one that could not be made, and ends without it', async () => {
  let tries = 0;
  const placements = new Placements(async (kind) => {
    tries += 1;
    if (tries === 1) throw new Error('not today');
    return new FakePlacement({}, kind);
  });
  const first = placements.get('docker');
  await expect(first).rejects.toThrow('not today');
  expect(await placements.all()).toEqual([]);
  expect((await placements.get('docker')).kind).toBe('docker');
  await placements.dispose();
});
