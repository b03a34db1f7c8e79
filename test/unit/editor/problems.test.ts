import { EventEmitter } from 'node:events';
import { afterAll, expect, it, vi } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import type { FindingSource } from '../../../src/editor/problems/finding-source.ts';
import { Problems } from '../../../src/editor/problems/problems.ts';
import type { Finding } from '../../../src/tasks/finding.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const collection = vi.hoisted(() => ({ set: vi.fn(), delete: vi.fn(), dispose: vi.fn() }));
const createDiagnosticCollection = vi.hoisted(() => vi.fn(() => collection));

vi.mock('vscode', () => ({
  Diagnostic: class {
    readonly message: string;
    constructor(_range: unknown, message: string) {
      this.message = message;
    }
  },
  DiagnosticSeverity: { Error: 0 },
  DiagnosticTag: {},
  Range: class {},
  Uri: { joinPath: () => ({}) },
  languages: { createDiagnosticCollection },
}));

const uri = { toString: () => 'file:///t/shop.tasks.json' } as never;

/** A source of findings of one file, with these messages. */
function fakeSource() {
  const events = new EventEmitter();
  let messages: readonly string[] | undefined = [];
  const source: FindingSource = {
    onDidChange: (listener) => {
      events.on('change', listener);
      return { dispose: () => void events.off('change', listener) };
    },
    findingsOf: () =>
      messages?.map(
        (message): Finding => ({
          ...{ file: '/t/shop.tasks.json', range: EMPTY_RANGE, severity: 'error', code: 'unknown-function' },
          message,
        }),
      ),
    dispose: vi.fn(),
  };
  const change = (to: readonly string[] | undefined) => {
    messages = to;
    events.emit('change', [uri]);
  };
  return { source, change };
}

it('merges the findings of all sources for a file in one collection', () => {
  const [names, calls] = [fakeSource(), fakeSource()];
  const problems = new Problems([names.source, calls.source], {} as never);
  const shown = () => collection.set.mock.lastCall?.[1].map(({ message }: { message: string }) => message);
  expect(createDiagnosticCollection).toHaveBeenCalledExactlyOnceWith('taskwright');

  names.change([]);
  expect([collection.set, collection.delete].flatMap(({ mock }) => mock.calls)).toEqual([]);
  calls.change(['no such function']);
  names.change(['the same id', 'the same slug']);
  expect(shown()).toEqual(['the same id', 'the same slug', 'no such function']);
  names.change(['the same id']);
  expect(shown()).toEqual(['the same id', 'no such function']);

  // The file is being read.
  calls.change(undefined);
  names.change([]);
  expect(shown()).toEqual(['no such function']);
  expect(collection.delete).not.toHaveBeenCalled();
  calls.change([]);
  expect(collection.delete).toHaveBeenCalledExactlyOnceWith(uri);

  problems.dispose();
  expect(names.source.dispose).toHaveBeenCalledOnce();
  names.change(['the same id']);
  expect(collection.set).toHaveBeenCalledTimes(4);
});
