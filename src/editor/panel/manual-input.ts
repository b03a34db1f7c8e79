import { printAction } from '../../actions/print.ts';
import type { PanelMessage } from '../../presentation/runs/messages.ts';
import { askAction, askAnswer } from '../manual/questions.ts';
import type { LiveRun } from '../runs/live-run.ts';

/** Passes what the user does in the panel to the run that waits for it. */
export async function forwardManualInput(
  message: Extract<PanelMessage, { type: 'hand' | 'answer' | 'act' | 'answerDialog' | 'perform' | 'done' }>,
  { manualInput, record, task }: LiveRun,
): Promise<void> {
  if (manualInput === null || record !== null) return;
  if (message.type === 'hand') manualInput.push(message.input);
  else if (message.type === 'perform') manualInput.push({ kind: 'action', action: message.action });
  else if (message.type === 'answerDialog') {
    const { accept, text } = message;
    manualInput.push({ kind: 'action', action: printAction({ type: 'handle_dialog', accept, text }) });
  } else if (message.type === 'done') manualInput.push({ kind: 'done' });
  else {
    const action = message.type === 'answer' ? await askAnswer(task) : await askAction(task);
    if (action !== undefined) manualInput.push({ kind: 'action', action });
  }
}
