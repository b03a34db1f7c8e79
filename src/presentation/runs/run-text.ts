import * as l10n from '@vscode/l10n';
import { printInputs } from '../../actions/print-input.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { formatReward } from '../../results/reward.ts';
import { printCall } from '../../tasks/print.ts';
import type { RunRecord, Step, TraceHeader } from '../../traces/trace.ts';
import { agentLabel } from '../labels.ts';
import { verdictOf } from './verdict.ts';

/** A run as text for a comparison with another run: without times and ids, which always differ. */
export function runText(header: TraceHeader, record: RunRecord, steps: readonly Step[]): string {
  const { error, grade } = record;
  const properties: readonly (readonly [name: string, value: string])[] = [
    [l10n.t('verdict'), verdictOf(record).accessibleText],
    [l10n.t('agent'), agentLabel(header.agent, record.task_id)],
    [l10n.t('placement'), header.runtime],
    [l10n.t('seed'), String(header.seed)],
    [l10n.t('prompt'), record.prompt],
    ...(error === null ? [] : [[l10n.t('error'), withoutCodeMarks(error.message)] as const]),
    ...(grade.content === null ? [] : [[l10n.t('response'), grade.content] as const]),
  ];
  const width = Math.max(...properties.map(([name]) => name.length)) + 2;
  const lines = properties.map(
    ([name, value]) => name.padEnd(width) + value.replaceAll('\n', `\n${' '.repeat(width)}`),
  );
  lines.push('', l10n.t('EVALUATE'));
  for (const { name, value, weight, reason } of grade.subscores) {
    const weightText = weight === 1 ? '' : ` ${l10n.t('(weight {0})', weight)}`;
    lines.push(`  ${value === null ? l10n.t('none') : formatReward(value)}  ${name}${weightText}`);
    if (reason !== '') lines.push(`        ${withoutCodeMarks(reason).replaceAll('\n', '\n        ')}`);
  }
  let phase = '';
  for (const step of steps) {
    const stepLines = step.source === 'evaluate' ? [] : stepText(step);
    if (stepLines.length === 0) continue;
    if (step.source !== phase) lines.push('', step.source.toUpperCase());
    phase = step.source;
    lines.push(...stepLines);
  }
  return `${lines.join('\n')}\n`;
}

function stepText({ call, action, error }: Step): readonly string[] {
  const actions = call === undefined ? printInputs(action ?? []) : [printCall(call)];
  return [...actions.map((one) => `  ${one}`), ...(error === null ? [] : [`      ${withoutCodeMarks(error.message)}`])];
}
