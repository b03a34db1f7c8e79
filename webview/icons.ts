import { svg } from './dom.ts';

/** Icons as strokes on a 16 × 16 grid in the current color. */
const paths = {
  pass: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M5 8.2l2.1 2.1L11 6.2',
  fail: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8',
  partial: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M12.4 3.6l-8.8 8.8',
  none: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M5.2 8h5.6',
  error: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M8 4.6v4.2M8 11v.4',
  warning: 'M8 2l6.5 11.5h-13zM8 6.3v3.4M8 11.4v.4',
  stopped: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M6 6h4v4H6z',
  gear: 'M8 5.7a2.3 2.3 0 1 1 0 4.6a2.3 2.3 0 0 1 0-4.6M6.9 1.8h2.2l.4 1.8 1.2.6 1.7-.7 1.2 1.9-1.3 1.3v1.6l1.3 1.3-1.2 1.9-1.7-.7-1.2.6-.4 1.8H6.9l-.4-1.8-1.2-.6-1.7.7-1.2-1.9 1.3-1.3V7.7L2.4 6.4l1.2-1.9 1.7.7 1.2-.6z',
  target: 'M8 2a6 6 0 1 1 0 12a6 6 0 0 1 0-12M8 5a3 3 0 1 1 0 6a3 3 0 0 1 0-6M8 7.7v.6',
  pencil: 'M10.8 2.4l2.8 2.8-7.8 7.8-3.6.8.8-3.6zM9 4.2l2.8 2.8',
  keyboard: 'M1.5 4.5h13v7h-13zM4 7v.4M6.7 7v.4M9.3 7v.4M12 7v.4M5 9.5h6',
  scroll: 'M8 2v12M5 4.8L8 2l3 2.8M5 11.2L8 14l3-2.8',
  drag: 'M2.5 12.5c4 0 2-8 8.5-8M9 2l2.8 2.5L9 7M2.5 12.5v.2',
  pointer: 'M4 2.5l8.5 6-4 .8-1.6 4z',
  clock: 'M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 0 1 0-12.4M8 4.6V8l2.4 1.6',
  speech: 'M2 3h12v8H7.5L4.5 13.6V11H2z',
  camera: 'M2 4.8h3l1-1.6h4l1 1.6h3v8H2zM8 6.6a2.2 2.2 0 1 1 0 4.4a2.2 2.2 0 0 1 0-4.4',
  globe: 'M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 0 1 0-12.4M1.8 8h12.4M8 1.8c-4 4-4 8.4 0 12.4M8 1.8c4 4 4 8.4 0 12.4',
  choose: 'M2.5 4h11M2.5 8h11M2.5 12h6M10.5 11.5l1.5 1.5 2.5-2.5',
  dot: 'M8 6.5a1.5 1.5 0 1 1 0 3a1.5 1.5 0 0 1 0-3',
  rerun: 'M3.2 8a4.9 4.9 0 1 0 1.7-3.7M4.9 1.5v2.9h2.9',
  resume: 'M3 3v10M6.5 3l7 5-7 5z',
  paused: 'M5.5 3v10M10.5 3v10',
  stop: 'M3.5 3.5h9v9h-9z',
  pin: 'M5.5 2.5h5M6.5 2.5v4L4.5 9v.5h7V9l-2-2.5v-4M8 9.5v4.5',
  pinned: 'M5.5 2.5h5M6.5 2.5v4L4.5 9v.5h7V9l-2-2.5v-4M8 9.5v4.5',
  folder: 'M1.5 3.5h4.5l1.5 1.5h7v8h-13z',
  save: 'M2.5 2.5h9l2 2v9h-11zM5 2.5v4h5.5v-4M4.5 13.5V9h7v4.5',
  terminal: 'M1.5 3h13v10h-13zM4 6l2 2-2 2M7.5 10.2h4',
  screen: 'M1.5 3h13v8h-13zM5.5 13.5h5M8 11v2.5',
  box: 'M2.5 5L8 2l5.5 3v6L8 14l-5.5-3zM2.5 5L8 8l5.5-3M8 8v6',
  file: 'M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3',
  branch: 'M3.5 2v8.5h4M7.5 7.5h6v6h-6zM3.5 4.5h6',
  previous: 'M10 3.5L5.5 8l4.5 4.5',
  next: 'M6 3.5L10.5 8 6 12.5',
} as const;

export type IconName = keyof typeof paths;

/** Decorative: the text next to an icon or the label of its button has the meaning. */
export function icon(name: IconName): SVGSVGElement {
  return svg(
    'svg',
    { class: `icon icon-${name}`, viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true' },
    svg('path', { d: paths[name] }),
  );
}

/** A rotating progress ring. Decorative, like icons. */
export function progressRing(): SVGSVGElement {
  return svg(
    'svg',
    { class: 'icon ring', viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true' },
    svg('circle', { class: 'ring-way', cx: 8, cy: 8, r: 6 }),
    svg('path', { class: 'ring-arc', d: 'M8 2a6 6 0 0 1 6 6' }),
  );
}

const verbs: ReadonlyMap<string, IconName> = new Map([
  ...['click', 'dblclick', 'mouse_click', 'mouse_dblclick', 'tap'].map((verb) => [verb, 'target'] as const),
  ...['type', 'fill', 'clear', 'keyboard_type', 'keyboard_insert_text'].map((verb) => [verb, 'pencil'] as const),
  ...['press', 'keyboard_press', 'keyboard_down', 'keyboard_up'].map((verb) => [verb, 'keyboard'] as const),
  ...['drag', 'drag_and_drop', 'mouse_drag_and_drop'].map((verb) => [verb, 'drag'] as const),
  ...['move', 'hover', 'focus', 'mouse_move', 'mouse_down', 'mouse_up'].map((verb) => [verb, 'pointer'] as const),
  ...['wait', 'noop'].map((verb) => [verb, 'clock'] as const),
  ...['response', 'send_msg_to_user', 'report_infeasible'].map((verb) => [verb, 'speech'] as const),
  ...['goto', 'go_back', 'go_forward', 'new_tab', 'tab_close', 'tab_focus'].map((verb) => [verb, 'globe'] as const),
  ['scroll', 'scroll'],
  ['scroll_at', 'scroll'],
  ['screenshot', 'camera'],
  ['select_option', 'choose'],
  ['upload_file', 'folder'],
  ['run', 'terminal'],
  ['read_file', 'file'],
  ['write_file', 'pencil'],
  ['apply_patch', 'pencil'],
]);

/** The icon of an action. */
export function verbIcon(verb: string): IconName {
  return verbs.get(verb) ?? 'dot';
}
