import { basename } from 'node:path';
import type { Run, RunRecord } from './trace.ts';

/** Takes out what XML 1.0 cannot hold, lone surrogates included, and escapes the rest. */
function escape(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be removed
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
    'grade' in run ? run.grade.subscores.map((one) => `${one.value ?? '-'}  ${one.name}  ${one.reason}`) : [];
  const details = escape(reasons.join('\n'));
  if (run.status === 'cancelled' || run.status === 'interrupted') return `<skipped message="${run.status}"/>`;
  if (run.error !== null) {
    return `<error type="${escape(run.error.code)}" message="${escape(run.error.message)}">${details}</error>`;
  }
  if (run.success) return '';
  const message = run.reward === null ? 'no reward' : `reward ${run.reward}`;
  return `<failure type="reward" message="${escape(message)}">${details}</failure>`;
}

/** The runs of a job as JUnit XML: a suite a task file, a case a run. */
export function junit(jobId: string, runs: readonly (Run | RunRecord)[]): string {
  const files = Map.groupBy(runs, (run) => run.file);
  const counts = (of: readonly Run[]): string => {
    const skipped = of.filter((run) => run.status === 'cancelled' || run.status === 'interrupted');
    const errors = of.filter((run) => run.error !== null && !skipped.includes(run));
    const failures = of.filter((run) => !run.success && run.error === null && !skipped.includes(run));
    const time = seconds(of.reduce((sum, run) => sum + run.duration_ms, 0));
    return `tests="${of.length}" failures="${failures.length}" errors="${errors.length}" skipped="${skipped.length}" time="${time}"`;
  };
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites name="${escape(jobId)}" ${counts(runs)}>`];
  for (const [file, of] of files) {
    lines.push(`  <testsuite name="${escape(basename(file))}" file="${escape(file)}" ${counts(of)}>`);
    for (const run of of) {
      const name = `classname="${escape(basename(file))}" name="${escape(run.task_id)}"`;
      lines.push(`    <testcase ${name} time="${seconds(run.duration_ms)}">${body(run)}</testcase>`);
    }
    lines.push('  </testsuite>');
  }
  lines.push('</testsuites>', '');
  return lines.join('\n');
}
