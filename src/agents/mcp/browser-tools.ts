import * as z from 'zod';
import type { NormalAction } from '../../actions/normal.ts';
import { printAction } from '../../actions/print.ts';
import { look, step, type Tool, type ToolUse, tool } from './tool.ts';

const element = z.string().optional().describe('What the element is, in words. It is not used.');
const target = z.string().describe('The id of an element in the last observation, or a selector.');
const button = z.enum(['left', 'right', 'middle']).default('left');
const MODIFIERS = ['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift'] as const;

/** The tool that answers dialogs. In BrowserGym none waits for an answer. */
export const HANDLE_DIALOG = 'browser_handle_dialog';

type Click = Extract<NormalAction, { type: 'click' }>;

function click(on: Click['target'], which: Click['button'], count: number, hold: readonly string[] = []): ToolUse {
  return acting({ type: 'click', target: on, button: which, delays: count === 2 ? [0] : [], hold });
}

/** One step of these actions, as action strings: every browser environment reads them. */
function acting(...actions: readonly NormalAction[]): ToolUse {
  return step(...actions.map(printAction));
}

/**
 * The actions of a browser. Names and arguments are those of Playwright's MCP server where they mean the same;
 * `browser_navigate_forward` and `browser_upload_file` are Taskwright's own.
 */
export const browserTools: readonly Tool[] = [
  look('browser_snapshot', 'Shows the page as it is after the last action: its accessibility tree and a picture.'),
  look('browser_take_screenshot', 'The same as browser_snapshot.'),
  tool(
    'browser_click',
    'Clicks an element.',
    {
      element,
      target,
      doubleClick: z.boolean().optional(),
      button: button.optional(),
      modifiers: z.array(z.enum(MODIFIERS)).optional(),
    },
    (args) => click({ ref: args.target }, args.button ?? 'left', args.doubleClick === true ? 2 : 1, args.modifiers),
  ),
  tool(
    'browser_type',
    'Replaces the text of a field.',
    {
      element,
      target,
      text: z.string(),
      submit: z.boolean().optional().describe('Then presses Enter.'),
      slowly: z.boolean().optional().describe('Adds the text key by key, at the cursor.'),
    },
    (args) => {
      const on = { ref: args.target };
      const { text } = args;
      const actions: NormalAction[] = [];
      if (args.slowly === true) actions.push({ type: 'focus', target: on }, { type: 'type', text, enter: false });
      else actions.push({ type: 'fill', target: on, text, menu: false });
      if (args.submit === true) actions.push({ type: 'press', target: on, keys: ['Enter'] });
      return acting(...actions);
    },
  ),
  tool(
    'browser_press_key',
    'Presses a key or a combination.',
    { key: z.string().describe('Such as ArrowLeft, a, or Control+a.') },
    ({ key }) => acting({ type: 'press', target: null, keys: [key] }),
  ),
  tool('browser_hover', 'Moves the mouse over an element.', { element, target }, (args) =>
    acting({ type: 'move', target: { ref: args.target }, offset: null }),
  ),
  tool(
    'browser_drag',
    'Drags an element onto another one.',
    { startElement: element, startTarget: target, endElement: element, endTarget: target },
    ({ startTarget, endTarget }) =>
      acting({ type: 'drag', path: [{ ref: startTarget }, { ref: endTarget }], delays: [], hold: [] }),
  ),
  tool(
    'browser_select_option',
    'Chooses options of a list.',
    { element, target, values: z.array(z.string()).describe('Values or labels.') },
    ({ target, values }) => acting({ type: 'select', target: { ref: target }, options: values }),
  ),
  tool(
    'browser_upload_file',
    'Chooses files for a file field.',
    { element, target, paths: z.array(z.string()).describe('Relative to the folder of the task.') },
    ({ target, paths }) => acting({ type: 'upload', target: { ref: target }, files: paths }),
  ),
  tool('browser_navigate', 'Opens an address.', { url: z.string() }, ({ url }) => acting({ type: 'goto', url })),
  tool('browser_navigate_back', 'Goes back in the history.', {}, () => acting({ type: 'history', delta: -1 })),
  tool('browser_navigate_forward', 'Goes forward in the history.', {}, () => acting({ type: 'history', delta: 1 })),
  tool(
    'browser_tabs',
    'Opens a tab, closes the current one, or selects one.',
    {
      action: z.enum(['new', 'close', 'select']),
      index: z.number().int().min(0).optional().describe('The tab to select; the first is 0.'),
      url: z.string().optional().describe('The address to open in a new tab.'),
    },
    ({ action, index = 0, url }) => {
      if (action === 'select') return acting({ type: 'tab', do: 'focus', index });
      const navigation: readonly NormalAction[] = action === 'new' && url !== undefined ? [{ type: 'goto', url }] : [];
      return acting({ type: 'tab', do: action }, ...navigation);
    },
  ),
  tool(
    HANDLE_DIALOG,
    'Answers the open confirm or prompt of the page.',
    {
      accept: z.boolean().describe('Whether to accept it.'),
      promptText: z.string().optional().describe('The answer to a prompt; by default the text in its field.'),
    },
    ({ accept, promptText }) => acting({ type: 'handle_dialog', accept, text: promptText ?? null }),
  ),
  tool('browser_wait_for', 'Waits.', { time: z.number().min(0).max(30).describe('In seconds.') }, ({ time }) =>
    acting({ type: 'wait', ms: Math.round(time * 1000) }),
  ),
  tool(
    'browser_mouse_click_xy',
    'Clicks at a point of the picture.',
    { x: z.number(), y: z.number(), button: button.optional(), clickCount: z.number().int().min(1).max(2).optional() },
    (args) => click({ point: { x: args.x, y: args.y } }, args.button ?? 'left', args.clickCount ?? 1),
  ),
  tool(
    'browser_mouse_move_xy',
    'Moves the mouse to a point of the picture.',
    { x: z.number(), y: z.number() },
    (point) => acting({ type: 'move', target: { point }, offset: null }),
  ),
  tool(
    'browser_mouse_drag_xy',
    'Drags from one point of the picture to another.',
    { startX: z.number(), startY: z.number(), endX: z.number(), endY: z.number() },
    ({ startX, startY, endX, endY }) => {
      const path = [{ point: { x: startX, y: startY } }, { point: { x: endX, y: endY } }];
      return acting({ type: 'drag', path, delays: [], hold: [] });
    },
  ),
  tool(
    'browser_mouse_wheel',
    'Scrolls at the mouse position, in pixels right and down.',
    { deltaX: z.number(), deltaY: z.number() },
    ({ deltaX, deltaY }) => acting({ type: 'scroll', target: null, x: deltaX, y: deltaY, hold: [] }),
  ),
];
