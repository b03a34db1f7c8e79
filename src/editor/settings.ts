import * as vscode from 'vscode';

const SECTION = 'taskwright';

/** The settings, each with the fallback that package.json documents as its default. */
export const settings = {
  codeLens: (): boolean => read('codeLens', true),
  inlineValues: (): boolean => read('inlineValues', true),
  browserPath: (): string | undefined => read('browser.path', '').trim() || undefined,
  maxSteps: (): number | undefined => positive(read('run.maxSteps', 0)),
  runTimeoutMs: (): number | undefined => seconds(read('run.timeout', 0)),
  evaluateTimeoutMs: (): number | undefined => seconds(read('run.evaluateTimeout', 30)),
  keepRuns: (): number => positive(read('runs.keep', 200)) ?? 200,
};

export function affects(event: vscode.ConfigurationChangeEvent, key: string): boolean {
  return event.affectsConfiguration(`${SECTION}.${key}`);
}

function read<T extends string | number | boolean>(key: string, fallback: T): T {
  const value: unknown = vscode.workspace.getConfiguration(SECTION).get(key);
  return typeof value === typeof fallback ? (value as T) : fallback;
}

function positive(value: number): number | undefined {
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function seconds(value: number): number | undefined {
  const limit = positive(value);
  return limit === undefined ? undefined : limit * 1000;
}
