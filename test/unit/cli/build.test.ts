import { describe, expect, it } from 'vitest';
import { Output } from '../../../src/cli/output.ts';
import { printBuild } from '../../../src/cli/progress.ts';
import type { ImageBuild } from '../../../src/placement/docker/docker.ts';

type Line = Parameters<Parameters<ImageBuild['onLine']>[0]>;

/** What is said on standard error of a build of three steps. */
async function saidOf(of: { verbose: boolean; terminal: boolean; built?: boolean }): Promise<string[]> {
  const written: string[] = [];
  const sink = { write: (text: string) => void written.push(text), isTTY: of.terminal, columns: 80 };
  const output = new Output(sink, sink, { NO_COLOR: '1' });
  const listeners = new Set<(...line: Line) => void>();
  const ended = Promise.withResolvers<{ built: boolean }>();
  const build: ImageBuild = {
    tag: 'taskwright-browser:1',
    onLine: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    whenEnded: ended.promise,
    cancel: () => {},
  };
  printBuild(build, output, of.verbose);
  for (const [line, step] of [
    ['Step 1/2 : FROM debian', 1],
    ['---> 1234', 1],
    ['Step 2/2 : RUN true', 2],
  ] as const) {
    for (const listener of listeners) listener(line, { step, steps: 2, label: step === 2 ? 'Installing' : null });
  }
  ended.resolve({ built: of.built ?? true });
  await ended.promise;
  expect(listeners.size).toBe(0);
  return written
    .join('')
    .split('\n')
    .filter((line) => line !== '');
}

describe('an image build', () => {
  it('is logged step by step', async () => {
    expect(await saidOf({ verbose: false, terminal: false })).toEqual([
      'Building the image taskwright-browser:1. Later runs reuse it.',
      '  step 1 of 2',
      '  step 2 of 2: Installing',
      'Built the image taskwright-browser:1.',
    ]);
  });

  it('shows its steps in the line of the run on a terminal', async () => {
    expect(await saidOf({ verbose: false, terminal: true })).toEqual(['Built the image taskwright-browser:1.']);
  });

  it('is logged line by line with --verbose', async () => {
    expect(await saidOf({ verbose: true, terminal: true })).toEqual([
      'Step 1/2 : FROM debian',
      '---> 1234',
      'Step 2/2 : RUN true',
      'Built the image taskwright-browser:1.',
    ]);
  });

  it('is not reported as built if it already existed', async () => {
    expect(await saidOf({ verbose: false, terminal: true, built: false })).toEqual([]);
  });
});
