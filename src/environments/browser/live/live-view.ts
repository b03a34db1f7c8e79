import type { CDPSession } from 'playwright-core';
import type { Picture } from '../../environment.ts';
import type { Tab } from '../pages/tab.ts';

const QUALITY = 70;

/** The live picture of whichever tab is active, from the browser's own screencast. */
export class Live {
  readonly #frame: (picture: Picture) => void;
  readonly #report: (problem: string) => void;
  #session: CDPSession | null = null;
  #stopped = false;
  /** When the last shown picture was drawn, in ms since 1970. */
  #shownAt = 0;
  /** Starting, following and stopping take turns. */
  #turn: Promise<void> = Promise.resolve();

  /** `report`: told in words why a tab that is open has no live picture. */
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
        // A tab that closes meanwhile has no picture; the tab that takes its place is followed next.
        if (tab.page.isClosed() || this.#stopped) return;
        this.#report(
          `There is no live picture of ${tab.page.url()}: ${error instanceof Error ? error.message : error}`,
        );
      }
    });
  }

  /**
   * Shows a screenshot of the tab, unless what is shown is newer. `scale`: its pixels for each CSS pixel; `askedAt`: when it
   * was asked for, in ms since 1970.
   */
  show(screenshot: Picture, scale: number, askedAt: number): void {
    if (this.#stopped || this.#session === null || askedAt <= this.#shownAt) return;
    this.#shownAt = askedAt;
    // A live picture has the size of the page.
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
    session.on('Page.screencastFrame', ({ data, sessionId, metadata }) => {
      // The browser sends the next picture only when this one was taken; a tab that has gone sends none any more.
      session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
      if (this.#stopped || this.#session !== session) return;
      // One that was on its way when a later screenshot was taken.
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
    const size = tab.page.viewportSize() ?? { width: 1280, height: 720 };
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
    const session = this.#session;
    this.#session = null;
    if (!session) return;
    // Both fail where the tab has gone, and then there is nothing to end.
    await session.send('Page.stopScreencast').catch(() => undefined);
    await session.detach().catch(() => undefined);
  }
}
