import type { RunEvent } from '../../runs/run/events.ts';
import type { Step } from '../../runs/store/trace.ts';
import { printCall } from '../../tasks/print.ts';
import { agentLabel } from '../runs/agents.ts';
import { formatReward, verdictOf } from '../runs/verdict.ts';

/** What a run says in the output of a test run, in lines; nothing for what is only of the moment. */
export function outputOf(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'started':
      return [`${event.header.run_id} with ${agentLabel(event.header.agent)}, ${event.header.runtime}`];
    case 'step':
      return stepLines(event.step);
    case 'log':
      return event.text.split(/\r?\n/).map((line) => `    ${line}`);
    case 'ended': {
      const { record } = event;
      const error = record.error === null ? [] : [`  ${record.error.message}`];
      return [...error, `  ${verdictOf(record).spoken} (${record.steps} steps, ${record.duration_ms} ms)`];
    }
    default:
      return [];
  }
}

function stepLines(step: Step): readonly string[] {
  const { reason } = step.info;
  const value = step.source === 'evaluate' && step.reward !== null ? ` ${formatReward(step.reward)}` : '';
  const because = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  const failed = step.error === null ? '' : `: ${step.error.message}`;
  const done = step.call === undefined ? actionText(step.action) : printCall(step.call);
  if (done === '' && because === '' && failed === '') return [];
  return [`  ${step.source} ${done}${value}${failed === '' ? because : failed}`.trimEnd()];
}

function actionText(action: Step['action']): string {
  if (action === undefined) return '';
  const actions: readonly unknown[] = Array.isArray(action) ? action : [action];
  return actions.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' ');
}
