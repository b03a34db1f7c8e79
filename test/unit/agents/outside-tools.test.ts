import { describe, expect, it } from 'vitest';
import { toolsOf } from '../../../src/agents/mcp/tools.ts';
import { listTools } from '../../../src/environments/mcp/listed-tools.ts';
import { schemaOfCalls } from '../../../src/environments/mcp/tools.ts';
import { BROWSER } from './outside-run.ts';

describe('the tools of an environment', () => {
  const names = (type: string): string[] => toolsOf({ type }, null).map(({ name }) => name);

  it('are its actions, and the end of the run', () => {
    expect(names('qa')).toEqual(['answer', 'finish']);
    expect(names('hud-ubuntu')).toEqual(['computer', 'finish']);
    expect(names('public')).toEqual(['observe', 'act', 'finish']);
    expect(names('coding')).toEqual(['observe', 'shell', 'read_file', 'write_file', 'apply_patch', 'finish']);
    expect(names('openenv')).toEqual(['observe', 'act', 'finish']);
    expect(names('hud')).toEqual(['answer', 'finish']);
    expect(names('browsergym')).toEqual(names('hud-browser'));
    for (const type of ['hud-browser', 'qa', 'coding', 'openenv']) {
      expect(names(type).join()).not.toMatch(/reset|state|reward|evaluate|grade|score|solution/);
    }
  });

  it('are those of the pages that an environment offers, and its own', () => {
    const named = (name: string) => ({ name, description: '', schema: { type: 'object', properties: {} } });
    const namesOf = (schema: ReturnType<typeof schemaOfCalls> | null) =>
      toolsOf({ type: 'hud' }, schema, ['page']).map(({ name }) => name);
    const withTools = namesOf(schemaOfCalls([named('add'), named('browser_click')]));
    const expected = ['add', 'browser_click', 'browser_snapshot', 'taskwright_browser_click', 'finish'];
    expect(withTools).toEqual(expect.arrayContaining(expected));
    expect(namesOf(null)).toEqual(expect.arrayContaining(['browser_snapshot', 'browser_click', 'finish']));
  });

  it('are those of an environment whose actions are calls of tools', () => {
    const item = { type: 'object', properties: { name: { type: 'string' } } };
    const add = {
      name: 'add',
      description: 'Adds an item.',
      schema: {
        type: 'object',
        properties: { item: { $ref: '#/$defs/Item' }, count: { type: 'integer' } },
        required: ['item'],
        $defs: { Item: item },
      },
    };
    const clear = { name: 'clear', description: '', schema: { type: 'object', properties: {} } };
    const schema = schemaOfCalls([add, clear]);
    expect(listTools(schema)).toEqual([
      {
        name: 'add',
        description: 'Adds an item.',
        inputSchema: {
          type: 'object',
          properties: { item: { $ref: '#/$defs/add.Item' }, count: { type: 'integer' } },
          required: ['item'],
          $defs: { 'add.Item': item },
        },
      },
      { name: 'clear', description: '', inputSchema: { type: 'object', properties: {} } },
    ]);
    for (const type of ['hud', 'mcp']) {
      const tools = toolsOf({ type }, schema);
      expect(tools.map(({ name }) => name)).toEqual(['add', 'clear', 'observe', 'finish']);
      const used = { name: 'add', arguments: { item: { name: 'apple' } } };
      expect(tools[0]?.use({ item: { name: 'apple' } })).toEqual({ kind: 'act', actions: [used] });
      expect(tools[1]?.use(undefined)).toEqual({ kind: 'act', actions: [{ name: 'clear', arguments: {} }] });
      expect(() => tools[0]?.use([])).toThrow('add: the arguments are not an object');
    }
    // Names are those of the environment.
    const own = schemaOfCalls(['finish', 'observe'].map((name) => ({ ...clear, name })));
    expect(toolsOf({ type: 'hud' }, own).map(({ name }) => name)).toEqual([
      'finish',
      'observe',
      'taskwright_observe',
      'taskwright_finish',
    ]);
  });

  it('take the action of an OpenEnv environment by its own schema', () => {
    const schema = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
    const act = toolsOf({ type: 'openenv' }, schema).find(({ name }) => name === 'act');
    expect(act?.inputSchema).toEqual(schema);
    expect(act?.use({ message: 'hi' })).toEqual({ kind: 'act', actions: [{ message: 'hi' }] });
    expect(toolsOf({ type: 'hud' }, schema).map(({ name }) => name)).toEqual(['observe', 'act', 'finish']);
  });

  it.each([
    ['browser_click', { target: '5', doubleClick: true }, ["dblclick('5')"]],
    ['browser_click', { target: '5', button: 'right', modifiers: ['Shift'] }, ["click('5', 'right', ['Shift'])"]],
    ['browser_type', { target: '5', text: 'a', slowly: true }, ["focus('5')", "keyboard_type('a')"]],
    ['browser_press_key', { key: 'Control+a' }, ["keyboard_press('Control+a')"]],
    ['browser_hover', { target: '5' }, ["hover('5')"]],
    ['browser_drag', { startTarget: '1', endTarget: '2' }, ["drag_and_drop('1', '2')"]],
    ['browser_select_option', { target: '5', values: ['a', 'b'] }, ["select_option('5', ['a', 'b'])"]],
    ['browser_upload_file', { target: '5', paths: ['a.txt'] }, ["upload_file('5', 'a.txt')"]],
    ['browser_navigate', { url: 'cart.html' }, ["goto('cart.html')"]],
    ['browser_navigate_back', {}, ['go_back()']],
    ['browser_navigate_forward', {}, ['go_forward()']],
    ['browser_tabs', { action: 'new', url: 'a.html' }, ['new_tab()', "goto('a.html')"]],
    ['browser_tabs', { action: 'select', index: 1 }, ['tab_focus(1)']],
    ['browser_tabs', { action: 'close' }, ['tab_close()']],
    ['browser_wait_for', { time: 0.5 }, ['noop(500)']],
    ['browser_mouse_click_xy', { x: 1, y: 2, clickCount: 2 }, ['mouse_dblclick(1, 2)']],
    ['browser_mouse_move_xy', { x: 1, y: 2 }, ['mouse_move(1, 2)']],
    ['browser_mouse_drag_xy', { startX: 1, startY: 2, endX: 3, endY: 4 }, ['mouse_drag_and_drop(1, 2, 3, 4)']],
    ['browser_mouse_wheel', { deltaX: 0, deltaY: 100 }, ['scroll(0, 100)']],
  ])('%s %j', (name, args, actions) => {
    const tool = toolsOf(BROWSER, null).find((one) => one.name === name);
    expect(tool?.use(args)).toEqual({ kind: 'act', actions });
  });

  it.each([
    [
      { action: 'click', x: 1, y: 2, clicks: 2 },
      { type: 'click', point: { x: 1, y: 2 }, button: 'left', pattern: [0] },
    ],
    [
      { action: 'scroll', scroll_y: 3 },
      { type: 'scroll', scroll: { x: 0, y: 3 } },
    ],
    [
      { action: 'press', keys: ['ctrl', 'c'] },
      { type: 'press', keys: ['ctrl', 'c'] },
    ],
    [
      { action: 'type', text: 'a' },
      { type: 'type', text: 'a' },
    ],
    [
      { action: 'move', x: 1, y: 2 },
      { type: 'move', point: { x: 1, y: 2 } },
    ],
    [
      { action: 'wait', time: 5 },
      { type: 'wait', time: 5 },
    ],
  ])('computer %j', (args, action) => {
    const [computer] = toolsOf({ type: 'hud-ubuntu' }, null);
    expect(computer?.name).toBe('computer');
    expect(computer?.use(args)).toEqual({ kind: 'act', actions: [action] });
    expect(() => computer?.use({ action: 'drag' })).toThrow('drag needs path');
  });
});
