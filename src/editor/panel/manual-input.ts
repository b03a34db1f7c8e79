import { askAction, askAnswer } from '../manual/questions.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { PanelMessage } from './messages.ts';

/** Hands what the person does in the panel to the run whose agent they are. */
export async function forwardManualInput(
  message: Extract<PanelMessage, { type: 'hand' | 'answer' | 'act' | 'done' }>,
  { hands, record, task }: LiveRun,
): Promise<void> {
  if (hands === null || record !== null) return;
  if (message.type === 'hand') hands.push(message.input);
  else if (message.type === 'done') hands.push({ kind: 'done' });
  else {
    const action = message.type === 'answer' ? await askAnswer(task) : await askAction(task);
    if (action !== undefined) hands.push({ kind: 'action', action });
  }
}
