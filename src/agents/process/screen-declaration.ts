import { type Screen, screenSchema } from '../../actions/action.ts';
import { isObject } from '../../base/json.ts';
import { parseJson } from '../../base/parse-json.ts';
import { AgentError } from '../agent-error.ts';

export const SCREEN_FORM =
  'its `screen` is not a size. Declare the resolution of its coordinates as {"width": 1920, "height": 1080}.';

/**
 * The resolution that a line of a `process` agent declares, such as `{"screen": {"width": 1920, "height": 1080}}`;
 * undefined for any other line. Throws `AgentError` where the value is not a size.
 */
export function readScreen(line: string): Screen | undefined {
  if (!/^\s*\{.*"screen"\s*:/s.test(line)) return undefined;
  let json: unknown;
  try {
    json = parseJson(line);
  } catch {
    return undefined; // `readAnswer` reports lines that are not JSON.
  }
  if (!isObject(json) || !('screen' in json) || 'type' in json) return undefined;
  const screen = screenSchema.safeParse(json['screen']);
  if (!screen.success) throw new AgentError('agent_answer', `The agent cannot be used: ${SCREEN_FORM}`);
  return screen.data;
}
