/// <reference lib="dom" />

/** The pending work of a page, installed by `watchTimers`. */
export interface Pending {
  /** Resolves to true as soon as nothing is due, or to false after `ms`. */
  rest(ms: number): Promise<boolean>;
}

/** The window's original functions. */
interface Timers {
  setTimeout(this: Window, handler: TimerHandler, ms?: number): number;
  setInterval(this: Window, handler: TimerHandler, ms?: number, ...args: unknown[]): number;
  clearTimeout(this: Window, id?: number): void;
  clearInterval(this: Window, id?: number): void;
  requestAnimationFrame(this: Window, callback: FrameRequestCallback): number;
  cancelAnimationFrame(this: Window, id: number): void;
}

/**
 * Runs in each page before its scripts: tracks timers and animation frames of the page, so that observers know whether
 * to wait.
 */
export function watchTimers(): void {
  const due = new Map<number, number>();
  const beats = new Map<number, number>();
  const frames = new Set<number>();
  const { setTimeout, setInterval, clearTimeout, clearInterval, requestAnimationFrame, cancelAnimationFrame } =
    window as unknown as Timers;
  const later = setTimeout.bind(window);
  const length = (ms: unknown): number => Math.max(0, Number(ms) || 0);
  const forget = (id: number | undefined): void => {
    if (id === undefined) return;
    due.delete(id);
    beats.delete(id);
  };
  Object.assign(window, {
    setTimeout(handler: TimerHandler, ms?: number, ...args: unknown[]): number {
      // A string handler is left to the page.
      if (typeof handler !== 'function') return setTimeout.call(window, handler, ms);
      const fire = (): void => {
        due.delete(id);
        handler.apply(window, args);
      };
      const id = setTimeout.call(window, fire, ms);
      due.set(id, performance.now() + length(ms));
      return id;
    },
    setInterval(handler: TimerHandler, ms?: number, ...args: unknown[]): number {
      const id = setInterval.call(window, handler, ms, ...args);
      beats.set(id, length(ms));
      return id;
    },
    clearTimeout(id?: number): void {
      forget(id);
      clearTimeout.call(window, id);
    },
    clearInterval(id?: number): void {
      forget(id);
      clearInterval.call(window, id);
    },
    requestAnimationFrame(callback: FrameRequestCallback): number {
      const id = requestAnimationFrame.call(window, (time) => {
        frames.delete(id);
        callback(time);
      });
      frames.add(id);
      return id;
    },
    cancelAnimationFrame(id: number): void {
      frames.delete(id);
      cancelAnimationFrame.call(window, id);
    },
  });
  const busy = (until: number): boolean =>
    frames.size > 0 ||
    [...due.values()].some((time) => time <= until) ||
    [...beats.values()].some((ms) => performance.now() + ms <= until) ||
    document.getAnimations().some(({ playState }) => playState === 'running');
  // Sent from an isolated world before a click. It is canceled if nothing is due within two frames.
  window.addEventListener('taskwrightrest', (event) => {
    if (!busy(performance.now() + 50)) event.preventDefault();
  });
  Object.defineProperty(window, 'taskwrightPending', {
    enumerable: false,
    value: {
      async rest(ms: number): Promise<boolean> {
        const until = performance.now() + ms;
        if (!busy(until)) return true;
        while (performance.now() < until && busy(until)) await new Promise((resolve) => later(resolve, 10));
        return false;
      },
    } satisfies Pending,
  });
}
