import type { PanelMessage } from '../../presentation/runs/messages.ts';
import { askAction, askAnswer } from '../manual/questions.ts';
import type { LiveRun } from '../runs/live-run.ts';

/** Passes what the user does in the panel to the run that waits for it. */
export async function forwardManualInput(
  message: Extract<PanelMessage, { type: 'hand' | 'answer' | 'act' | 'perform' | 'done' }>,
  { manualInput, record, task }: LiveRun,
): Promise<void> {
  if (manualInput === null || record !== null) return;
  if (message.type === 'hand') manualInput.push(message.input);
  else if (message.type === 'perform') manualInput.push({ kind: 'action', action: message.action });
  else if (message.type === 'done') manualInput.push({ kind: 'done' });
  else {
    const action = message.type === 'answer' ? await askAnswer(task) : await askAction(task);
    if (action !== undefined) manualInput.push({ kind: 'action', action });
  }
}
