import type { Picture } from '../environment.ts';
import type { Limits } from './limits.ts';
import { within } from './limits.ts';
import type { Tab } from './tab.ts';

/** The viewport as it is drawn now, as PNG. */
export async function takePicture(tab: Tab, limits: Limits): Promise<Picture> {
  try {
    const { data } = await within(
      limits.look,
      'taking a picture of the page',
      tab.cdp.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true }),
    );
    return png(Buffer.from(data, 'base64'));
  } catch (error) {
    if (tab.page.isClosed() || /took longer/.test(String(error))) throw error;
    // A surface that was just replaced cannot be read by the quick way.
    return png(await tab.page.screenshot({ timeout: limits.look }));
  }
}

function png(data: Buffer): Picture {
  return { type: 'png', data, width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}
