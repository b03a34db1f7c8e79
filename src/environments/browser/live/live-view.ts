import type { CDPSession } from 'playwright-core';
import type { Picture } from '../../environment.ts';
import type { Tab } from '../pages/tab.ts';

const QUALITY = 70;

/** The live view of the active tab, from the browser's screencast. */
export class Live {
  readonly #frame: (picture: Picture) => void;
  readonly #report: (problem: string) => void;
  #session: CDPSession | null = null;
  #tab: Tab | null = null;
  #stopped = false;
  /** When the last frame was drawn, in ms since 1970. */
  #shownAt = 0;
  /** Serializes starting, following, and stopping. */
  #turn: Promise<void> = Promise.resolve();

  /** `report` receives the reason if an open tab has no live view. */
  constructor(frame: (picture: Picture) => void, report: (problem: string) => void) {
    this.#frame = frame;
    this.#report = report;
  }

  /** Shows this tab from now on. */
  follow(tab: Tab): Promise<void> {
    return this.#next(async () => {
      try {
        await this.#show(tab);
      } catch (error) {
        // A tab that closes meanwhile has no live view. The next active tab is followed then.
        if (tab.page.isClosed() || this.#stopped) return;
        this.#report(
          `No live view of ${tab.page.url()} is available: ${error instanceof Error ? error.message : error}`,
        );
      }
    });
  }

  /**
   * Shows a screenshot of the tab, unless a newer frame is shown. `scale`: its pixels for each CSS pixel; `requestedAt`: in ms
   * since 1970.
   */
  show(screenshot: Picture, scale: number, requestedAt: number): void {
    if (this.#stopped || this.#session === null || requestedAt <= this.#shownAt) return;
    this.#shownAt = requestedAt;
    // Live frames have the size of the page.
    const { type, data, width, height } = screenshot;
    this.#frame({ type, data, width: Math.round(width / scale), height: Math.round(height / scale) });
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#next(() => this.#end());
  }

  async #show(tab: Tab): Promise<void> {
    await this.#end();
    if (this.#stopped || tab.page.isClosed()) return;
    const session = await tab.page.context().newCDPSession(tab.page);
    this.#session = session;
    this.#tab = tab;
    tab.liveViews += 1;
    tab.fitView();
    session.on('Page.screencastFrame', ({ data, sessionId, metadata }) => {
      // The browser sends the next frame only after this acknowledgment. It fails if the tab has closed.
      session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
      if (this.#stopped || this.#session !== session) return;
      // A frame from before a screenshot that is already shown.
      const drawnAt = (metadata.timestamp ?? Date.now() / 1000) * 1000;
      if (drawnAt < this.#shownAt) return;
      this.#shownAt = drawnAt;
      this.#frame({
        type: 'jpg',
        data: Buffer.from(data, 'base64'),
        width: Math.round(metadata.deviceWidth),
        height: Math.round(metadata.deviceHeight),
      });
    });
    const size = tab.viewport;
    await session.send('Page.startScreencast', {
      format: 'jpeg',
      quality: QUALITY,
      maxWidth: size.width,
      maxHeight: size.height,
      everyNthFrame: 1,
    });
  }

  #next(run: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(run);
    return this.#turn;
  }

  async #end(): Promise<void> {
    const [session, tab] = [this.#session, this.#tab];
    this.#session = null;
    this.#tab = null;
    if (!session || !tab) return;
    tab.liveViews -= 1;
    // Both fail if the tab has closed, and then there is nothing to stop.
    await session.send('Page.stopScreencast').catch(() => undefined);
    await session.detach().catch(() => undefined);
  }
}
