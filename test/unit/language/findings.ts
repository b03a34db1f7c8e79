import type { Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import type { Finding } from '../../../src/tasks/finding.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { userFunctionsNamed } from './user-functions.ts';

/** The texts that the first fix of a finding puts in. */
export function fixesOf(finding: Finding | undefined): string[] {
  return finding?.fixes?.()[0]?.edits.map(({ text }) => text) ?? [];
}

/** Findings as a person would see them: `error unknown-function page_contain: There is no ...`. */
export function listFindings(file: string, text: string, own: readonly string[] = []): string[] {
  const lines = new Lines(text);
  return diagnose(readTasks(file, text), userFunctionsNamed(...own)).map(
    ({ severity, code, range, message }) =>
      `${severity} ${code} ${text.slice(lines.offset(range.start), lines.offset(range.end))}: ${message}`,
  );
}

/** The same for a file of one task in JSON. */
export function saidOf(task: Json, own: readonly string[] = []): string[] {
  return listFindings('/a.task.json', JSON.stringify(task), own);
}

/** A task that lacks its calls. */
export const browser = { id: 'a', prompt: 'p', gym: 'hud-browser' };
