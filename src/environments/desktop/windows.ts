import type { XTree } from 'x11';
import type { DesktopWindow } from '../../functions/declaration.ts';
import { type Connection, nullIfProtocolError } from './connection.ts';

/** A window of the window manager. */
export interface OpenWindow extends DesktopWindow {
  readonly id: number;
}

/** The visible windows, the topmost first. */
export async function openWindows(connection: Connection): Promise<readonly OpenWindow[]> {
  const { root } = connection;
  const [ids, [active = 0], stack] = await Promise.all([
    connection.numbers(root, '_NET_CLIENT_LIST'),
    connection.numbers(root, '_NET_ACTIVE_WINDOW'),
    treeOf(connection, root),
  ]);
  const windows = await Promise.all(
    ids.map(async (id) => {
      const [window, { parent }] = await Promise.all([describe(connection, id, id === active), treeOf(connection, id)]);
      // The stack contains frames. The window manager's own list of the stacking order is not reliable.
      return { window, height: stack.children.indexOf(parent === root ? id : parent) };
    }),
  );
  return windows.sort((a, b) => b.height - a.height).flatMap(({ window }) => window ?? []);
}

/** The parent and the children of a window, the lowest first; without both for a closed window. */
async function treeOf(connection: Connection, window: number): Promise<XTree> {
  const tree = await connection.ask<XTree>((done) => connection.x.QueryTree(window, done)).catch(nullIfProtocolError);
  return tree ?? { parent: 0, children: [] };
}

async function describe(connection: Connection, id: number, active: boolean): Promise<OpenWindow | null> {
  const { x, root } = connection;
  try {
    const [title, plain, kind, size, place] = await Promise.all([
      connection.property(id, '_NET_WM_NAME'),
      connection.property(id, 'WM_NAME'),
      connection.property(id, 'WM_CLASS'),
      connection.ask<{ readonly width: number; readonly height: number }>((done) => x.GetGeometry(id, done)),
      connection.ask<{ readonly destX: number; readonly destY: number }>((done) =>
        x.TranslateCoordinates(id, root, 0, 0, done),
      ),
    ]);
    const [instance = '', name = ''] = (kind?.toString('latin1') ?? '').split('\0');
    return {
      id,
      title: title?.toString('utf8') ?? plain?.toString('latin1') ?? '',
      app: name === '' ? instance : name,
      active,
      box: { x: place.destX, y: place.destY, width: size.width, height: size.height },
    };
  } catch (error) {
    // It was closed since it was listed.
    return nullIfProtocolError(error);
  }
}

/** Requests that the window manager activate a window. */
export async function activate(connection: Connection, id: number): Promise<void> {
  const type = await connection.atom('_NET_ACTIVE_WINDOW');
  // 2: requested by a pager, not by the window (EWMH 1.5).
  connection.x.SendClientMessage(connection.root, id, type, 32, [2, 0, 0]);
  // Some window managers focus it without raising it.
  connection.x.RaiseWindow(id);
  await connection.sync();
}

/** The list of windows in the observation. */
export function windowsText(windows: readonly DesktopWindow[]): string {
  if (windows.length === 0) return 'No window is open.';
  const lines = windows.map(({ title, app, active, box }) => {
    const place = `${box.width}x${box.height} at (${box.x}, ${box.y})`;
    return `- ${JSON.stringify(title)} (${app}), ${place}${active ? ', active' : ''}`;
  });
  return `Windows, the topmost first:\n${lines.join('\n')}`;
}
