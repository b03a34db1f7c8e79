import * as z from 'zod';
import { step, type Tool, ToolError, type ToolUse, tool } from './tool.ts';

const point = z.object({ x: z.number().int(), y: z.number().int() });

const shape = {
  action: z
    .enum(['screenshot', 'click', 'move', 'drag', 'scroll', 'type', 'press', 'wait'])
    .describe('screenshot shows the screen as it is after the last action, and does nothing.'),
  x: z.number().int().optional().describe('Where to click, move, or scroll. Default: the position of the mouse.'),
  y: z.number().int().optional(),
  button: z.enum(['left', 'right', 'middle']).optional(),
  clicks: z.number().int().min(1).max(3).optional().describe('2 for a double click.'),
  path: z.array(point).min(2).optional().describe('drag: presses at the first point, releases at the last.'),
  scroll_x: z.number().int().optional().describe('scroll: pixels to the right.'),
  scroll_y: z.number().int().optional().describe('scroll: pixels down.'),
  text: z.string().optional().describe('type: the text.'),
  keys: z.array(z.string()).min(1).optional().describe('press: keys of a combination, such as ["ctrl", "c"].'),
  hold_keys: z.array(z.string()).optional().describe('Keys that are held during a click, drag, or scroll.'),
  time: z.number().int().min(0).max(30_000).optional().describe('wait: milliseconds.'),
};

type Arguments = z.infer<z.ZodObject<typeof shape>>;

/** Fields that an action needs. */
const NEEDED: Readonly<Partial<Record<Arguments['action'], readonly (keyof Arguments)[]>>> = {
  move: ['x', 'y'],
  drag: ['path'],
  type: ['text'],
  press: ['keys'],
  wait: ['time'],
};

/** The actions of a desktop as one tool, with the fields of CLA actions. */
export const computerTools: readonly Tool[] = [
  tool('computer', 'Uses the mouse and the keyboard of the desktop, and shows its screen after that.', shape, use),
];

function use(args: Arguments): ToolUse {
  const { action, x, y, button, clicks = 1, path, scroll_x = 0, scroll_y = 0, text, keys, hold_keys, time } = args;
  const missing = NEEDED[action]?.filter((name) => args[name] === undefined) ?? [];
  if (missing.length > 0) throw new ToolError(`computer: ${action} needs ${missing.join(' and ')}`);
  const at = x === undefined || y === undefined ? {} : { point: { x, y } };
  const hold = hold_keys === undefined ? {} : { hold_keys };
  switch (action) {
    case 'screenshot':
      return { kind: 'look' };
    case 'click': {
      const pattern = Array.from({ length: clicks - 1 }, () => 0);
      return step({ type: 'click', ...at, button: button ?? 'left', pattern, ...hold });
    }
    case 'move':
      return step({ type: 'move', ...at });
    case 'drag':
      return step({ type: 'drag', path, ...hold });
    case 'scroll':
      return step({ type: 'scroll', ...at, scroll: { x: scroll_x, y: scroll_y }, ...hold });
    case 'type':
      return step({ type: 'type', text });
    case 'press':
      return step({ type: 'press', keys });
    case 'wait':
      return step({ type: 'wait', time });
  }
}
