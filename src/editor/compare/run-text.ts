import { formatReward } from '../../runs/results/reward.ts';
import type { RunRecord, Step, TraceHeader } from '../../runs/store/trace.ts';
import { printCall } from '../../tasks/print.ts';
import { agentLabel } from '../runs/agents.ts';
import { verdictOf } from '../runs/verdict.ts';

/** A run as text for a comparison with another run: without times and ids, which always differ. */
export function runText(header: TraceHeader, record: RunRecord, steps: readonly Step[]): string {
  const lines = [
    `verdict    ${verdictOf(record).accessibleText}`,
    `agent      ${agentLabel(header.agent, record.task_id)}`,
    `placement  ${header.runtime}`,
    `seed       ${header.seed}`,
    `prompt     ${record.prompt.replaceAll('\n', '\n           ')}`,
  ];
  if (record.error !== null) lines.push(`error      ${record.error.message}`);
  if (record.grade.content !== null) lines.push(`response   ${record.grade.content.replaceAll('\n', '\n           ')}`);
  lines.push('', 'EVALUATE');
  for (const { name, value, weight, reason } of record.grade.subscores) {
    const weightText = weight === 1 ? '' : ` (weight ${weight})`;
    lines.push(`  ${value === null ? 'none' : formatReward(value)}  ${name}${weightText}`);
    if (reason !== '') lines.push(`        ${reason.replaceAll('\n', '\n        ')}`);
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
  const actions: readonly unknown[] = action === undefined ? [] : Array.isArray(action) ? action : [action];
  const done =
    call === undefined
      ? actions.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
      : [printCall(call)];
  return [...done.map((one) => `  ${one}`), ...(error === null ? [] : [`      ${error.message}`])];
}
