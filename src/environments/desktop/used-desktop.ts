import type { DesktopWindow } from '../../functions/declaration.ts';
import type { PageMessage } from '../environment.ts';
import type { Keyboard } from './keyboard.ts';
import type { Pointer } from './pointer.ts';
import type { Screen } from './screen.ts';

/** What a desktop is to those who see and use it, whoever runs it. */
export interface UsedDesktop {
  readonly keyboard: Pick<Keyboard, 'type' | 'hold' | 'down' | 'up'>;
  readonly pointer: Pick<Pointer, 'at' | 'move' | 'press' | 'release' | 'click' | 'scroll'>;
  readonly screen: Pick<Screen, 'picture' | 'live'>;
  readonly size: { readonly width: number; readonly height: number };
  /** The errors of programs that failed since the last step. */
  readonly messages: PageMessage[];
  /** Rejects with `EnvironmentError` when it has ended; never resolves. */
  readonly broken: Promise<never>;
  /** Waits for the effect of an action, and then until the screen settles. `since`: the time of the action. */
  settle(since: number): Promise<void>;
  /** Null where they are not known. */
  windows(): Promise<readonly DesktopWindow[] | null>;
  close(): Promise<void>;
}
