import { afterAll, expect, it, vi } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import { diagnosticOf } from '../../../src/editor/problems/diagnostic.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

vi.mock('vscode', () => ({
  Diagnostic: class {
    readonly message: string;
    constructor(_range: unknown, message: string) {
      this.message = message;
    }
  },
  DiagnosticRelatedInformation: class {
    readonly message: string;
    constructor(_location: unknown, message: string) {
      this.message = message;
    }
  },
  DiagnosticSeverity: { Error: 0 },
  DiagnosticTag: {},
  Location: class {},
  Range: class {},
  Uri: { joinPath: () => ({}), file: () => ({}) },
}));

it('a diagnostic has no backticks around code, but those of the values of the task', () => {
  const place = { file: '/t/shop.tasks.json', range: EMPTY_RANGE };
  const finding = {
    ...({ ...place, severity: 'error', code: 'unknown-function' } as const),
    message: '`checks` is exported twice. Its argument is “`npm i`”',
    related: [{ ...place, message: 'the other `checks`' }],
  };
  const { message, relatedInformation = [] } = diagnosticOf(finding, {} as never);
  expect([message, relatedInformation[0]?.message]).toEqual([
    'checks is exported twice. Its argument is “`npm i`”',
    'the other checks',
  ]);
});
