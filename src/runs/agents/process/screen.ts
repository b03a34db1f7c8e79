import { type Screen, screenSchema } from '../../../actions/action.ts';
import { AgentError } from '../spec.ts';

export const SCREEN_WORDS =
  'its `screen` is no size. Write {"width": 1920, "height": 1080}: the pixels that its coordinates are meant for.';

/**
 * The resolution that a line of a `process` agent declares: `{"screen": {"width": 1920, "height": 1080}}`; undefined
 * where it says anything else. Throws `AgentError` where it is no size.
 */
export function declaredScreen(line: string): Screen | undefined {
  if (!/^\s*\{.*"screen"\s*:/s.test(line)) return undefined;
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return undefined; // Whoever waits for an answer says that the line is not JSON.
  }
  if (typeof said !== 'object' || said === null || !('screen' in said) || 'type' in said) return undefined;
  const screen = screenSchema.safeParse(said.screen);
  if (!screen.success) throw new AgentError('agent_answer', `The agent cannot be used: ${SCREEN_WORDS}`);
  return screen.data;
}
