import * as l10n from '@vscode/l10n';
import { printInputs } from '../../actions/print-input.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { formatReward } from '../../results/reward.ts';
import type { RunEvent } from '../../runs/events.ts';
import { printCall } from '../../tasks/print.ts';
import type { Step } from '../../traces/trace.ts';
import { agentLabel } from '../labels.ts';
import { verdictOf } from '../runs/verdict.ts';

/** The lines of an event in the output of a test run; none for transient events. */
export function outputOf(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'started': {
      const { run_id, agent, runtime } = event.header;
      return [l10n.t('{0}: agent {1}, placement {2}', run_id, agentLabel(agent), runtime)];
    }
    case 'step':
      return stepLines(event.step);
    case 'log':
      return event.text.split(/\r?\n/).map((line) => `    ${line}`);
    case 'ended': {
      const { record } = event;
      const error = record.error === null ? [] : [`  ${withoutCodeMarks(record.error.message)}`];
      const { accessibleText: verdict } = verdictOf(record);
      const summary = l10n.t('{0} ({1} steps, {2} ms)', verdict, record.steps, record.duration_ms);
      return [...error, `  ${summary}`];
    }
    default:
      return [];
  }
}

function stepLines(step: Step): readonly string[] {
  const { reason } = step.info;
  const value = step.source === 'evaluate' && step.reward !== null ? ` ${formatReward(step.reward)}` : '';
  const reasonText = typeof reason === 'string' && reason !== '' ? `: ${withoutCodeMarks(reason)}` : '';
  const errorText = step.error === null ? '' : `: ${withoutCodeMarks(step.error.message)}`;
  const action = step.call === undefined ? printInputs(step.action ?? []).join(' ') : printCall(step.call);
  if (action === '' && reasonText === '' && errorText === '') return [];
  return [`  ${step.source} ${action}${value}${errorText || reasonText}`.trimEnd()];
}
