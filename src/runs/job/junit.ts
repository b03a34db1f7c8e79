import { basename } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import type { Run, RunRecord } from '../../traces/trace.ts';

/** Removes characters that XML 1.0 does not allow, and escapes the rest. */
function xml(text: string): string {
  return (
    // A lone surrogate becomes U+FFFD on its way through UTF-8.
    Buffer.from(text, 'utf8')
      .toString('utf8')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll('\n', '&#10;')
      .replaceAll('\r', '&#13;')
      .replaceAll('\t', '&#9;')
  );
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function body(run: Run | RunRecord): string {
  const reasons =
    'grade' in run
      ? run.grade.subscores.flatMap(({ value, name, reason, parts = [] }) => [
          `${value ?? '-'}  ${name}  ${reason}`,
          ...parts.filter((part) => part.value < 1).map((part) => `    ${part.value}  ${part.name}  ${part.reason}`),
        ])
      : [];
  const details = xml(reasons.join('\n'));
  if (run.status === 'cancelled' || run.status === 'interrupted') return `<skipped message="${run.status}"/>`;
  if (run.error !== null) {
    return `<error type="${xml(run.error.code)}" message="${xml(run.error.message)}">${details}</error>`;
  }
  if (run.success) return '';
  const message = run.reward === null ? 'no reward' : `reward ${run.reward}`;
  return `<failure type="reward" message="${xml(message)}">${details}</failure>`;
}

/** The runs of a job as JUnit XML: a suite a task file, a case a run. */
export function junit(jobId: string, runs: readonly (Run | RunRecord)[]): string {
  const counts = (of: readonly Run[]): string => {
    const skipped = of.filter((run) => run.status === 'cancelled' || run.status === 'interrupted');
    const errors = of.filter((run) => run.error !== null && !skipped.includes(run));
    const failures = of.filter((run) => !run.success && run.error === null && !skipped.includes(run));
    const time = seconds(of.reduce((sum, run) => sum + run.duration_ms, 0));
    return `tests="${of.length}" failures="${failures.length}" errors="${errors.length}" skipped="${skipped.length}" time="${time}"`;
  };
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites name="${xml(jobId)}" ${counts(runs)}>`];
  for (const [file, of] of groupBy(runs, ({ file }) => file)) {
    lines.push(`  <testsuite name="${xml(basename(file))}" file="${xml(file)}" ${counts(of)}>`);
    for (const run of of) {
      const name = `classname="${xml(basename(file))}" name="${xml(run.task_id)}"`;
      lines.push(`    <testcase ${name} time="${seconds(run.duration_ms)}">${body(run)}</testcase>`);
    }
    lines.push('  </testsuite>');
  }
  lines.push('</testsuites>', '');
  return lines.join('\n');
}
