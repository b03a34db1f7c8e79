import type { CDPSession } from 'playwright-core';
import type { Picture } from '../environment.ts';
import type { Tab } from './tab.ts';

const QUALITY = 70;

/** The live picture of whichever tab is active, from the browser's own screencast. */
export class Live {
  readonly #frame: (picture: Picture) => void;
  #session: CDPSession | null = null;
  #stopped = false;
  /** Starting, following and stopping take turns. */
  #turn: Promise<void> = Promise.resolve();

  constructor(frame: (picture: Picture) => void) {
    this.#frame = frame;
  }

  /** Shows this tab from now on. */
  follow(tab: Tab): Promise<void> {
    return this.#next(async () => {
      await this.#end();
      if (this.#stopped || tab.page.isClosed()) return;
      const session = await tab.page.context().newCDPSession(tab.page);
      this.#session = session;
      session.on('Page.screencastFrame', ({ data, sessionId, metadata }) => {
        // The browser sends the next picture only when this one was taken.
        session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
        if (this.#stopped || this.#session !== session) return;
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
    });
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#next(() => this.#end());
  }

  #next(run: () => Promise<void>): Promise<void> {
    // A tab that closes meanwhile has no picture; the tab that takes its place is followed next.
    this.#turn = this.#turn.then(run).catch(() => undefined);
    return this.#turn;
  }

  async #end(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    if (!session) return;
    await session.send('Page.stopScreencast').catch(() => undefined);
    await session.detach().catch(() => undefined);
  }
}
