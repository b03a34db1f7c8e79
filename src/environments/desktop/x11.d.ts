/** Types for the used part of the package `x11`, which has none. */
declare module 'x11' {
  export type Reply<T> = (error: Error | null | undefined, value: T) => boolean | undefined;

  export interface XEvent {
    readonly name?: string;
    readonly property?: number;
    /** Of a `ClientMessage`, whose data are five numbers of 32 bits in most protocols. */
    readonly message_type?: number;
    readonly data?: readonly number[];
    readonly area?: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }

  export interface XTest {
    readonly KeyPress: number;
    readonly KeyRelease: number;
    readonly ButtonPress: number;
    readonly ButtonRelease: number;
    readonly MotionNotify: number;
    FakeInput(type: number, detail: number, time: number, window: number, x: number, y: number): void;
  }

  export interface XDamage {
    readonly ReportLevel: { readonly BoundingBox: number };
    Create(damage: number, drawable: number, level: number): void;
    Subtract(damage: number, repair: number, parts: number): void;
  }

  export interface XCursorImage {
    /** The position of the hot spot on the screen. */
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    /** The position of the hot spot in the image. */
    readonly xhot: number;
    readonly yhot: number;
    readonly cursorSerial: number;
    /** One byte each for blue, green, red, and opacity. Colors are premultiplied. */
    readonly cursorImage: Buffer;
  }

  export interface XPointer {
    readonly rootX: number;
    readonly rootY: number;
    readonly keyMask: number;
  }

  export interface XTree {
    readonly parent: number;
    readonly children: readonly number[];
  }

  export interface XFixes {
    readonly CursorNotifyMask: { readonly DisplayCursor: number };
    SelectCursorInput(window: number, mask: number): void;
    GetCursorImage(done: Reply<XCursorImage>): void;
  }

  export interface XClient {
    atoms: Record<string, number>;
    readonly stream: import('node:net').Socket;
    on(event: 'event', listener: (event: XEvent) => void): void;
    on(event: 'error' | 'end', listener: (error?: Error) => void): void;
    AllocID(): number;
    require(name: 'xtest', done: Reply<XTest>): void;
    require(name: 'damage', done: Reply<XDamage>): void;
    require(name: 'fixes', done: Reply<XFixes>): void;
    sync(): Promise<void>;
    InternAtom(onlyIfExists: boolean, name: string, done: Reply<number>): void;
    GetProperty(
      remove: number,
      window: number,
      property: number,
      type: number,
      offset: number,
      length: number,
      done: Reply<{ readonly type: number; readonly data: Buffer }>,
    ): void;
    GetImage(
      format: number,
      drawable: number,
      x: number,
      y: number,
      width: number,
      height: number,
      planes: number,
      done: Reply<{ readonly data: Buffer }>,
    ): void;
    GetGeometry(drawable: number, done: Reply<{ readonly width: number; readonly height: number }>): void;
    TranslateCoordinates(
      from: number,
      to: number,
      x: number,
      y: number,
      done: Reply<{ readonly destX: number; readonly destY: number }>,
    ): void;
    GetKeyboardMapping(first: number, count: number, done: Reply<readonly (readonly number[])[]>): void;
    ChangeKeyboardMapping(first: number, perKeycode: number, keysyms: readonly number[]): void;
    QueryKeymap(done: Reply<Buffer>): void;
    QueryPointer(window: number, done: Reply<XPointer>): void;
    ChangeWindowAttributes(window: number, values: { readonly eventMask: number }): void;
    CreateWindow(id: number, parent: number, x: number, y: number, width: number, height: number): void;
    ConvertSelection(requestor: number, selection: number, target: number, property: number, time: number): void;
    QueryTree(window: number, done: Reply<XTree>): void;
    RaiseWindow(window: number): void;
    /** Without `eventMask`, to the window manager. With 0, to the program of the window. */
    SendClientMessage(
      destination: number,
      window: number,
      type: number,
      format: number,
      data: readonly number[],
      eventMask?: number,
    ): void;
  }

  export interface XDisplay {
    readonly client: XClient;
    readonly min_keycode: number;
    readonly max_keycode: number;
    readonly screen: readonly {
      readonly root: number;
      readonly pixel_width: number;
      readonly pixel_height: number;
    }[];
  }

  export function createClient(
    options: { readonly display: string; readonly shm?: false },
    done: Reply<XDisplay>,
  ): XClient;
}
