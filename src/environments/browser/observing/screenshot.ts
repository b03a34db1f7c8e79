import type { Picture } from '../../environment.ts';
import { type Limits, within } from '../limits.ts';
import type { Tab } from '../pages/tab.ts';

/** Takes a PNG screenshot of the viewport, with `scale` pixels per CSS pixel. */
export async function takePicture(tab: Tab, limits: Limits, scale: number): Promise<Picture> {
  try {
    const { data } = await within(limits.observe, 'taking a picture of the page', capture(tab, scale));
    const picture = png(Buffer.from(data, 'base64'));
    if (scale === 1) tab.pictureSize = { width: picture.width, height: picture.height };
    return picture;
  } catch (error) {
    if (tab.page.isClosed() || /took longer/.test(String(error))) throw error;
    // The fast way cannot read a surface that was just replaced.
    return png(await tab.page.screenshot({ timeout: limits.observe }));
  }
}

const PNG = { format: 'png', optimizeForSpeed: true } as const;

function capture(tab: Tab, scale: number): Promise<{ readonly data: string }> {
  if (scale === 1) return tab.cdp.send('Page.captureScreenshot', PNG);
  // Each puts back the scale that it found, so two at the same time would disturb each other.
  const screenshot = tab.scaledPicture.then(() => captureScaled(tab, scale));
  // The caller handles the error; the next screenshot is taken anyway.
  tab.scaledPicture = screenshot.catch(() => undefined);
  return screenshot;
}

async function captureScaled(tab: Tab, scale: number): Promise<{ readonly data: string }> {
  const size = tab.viewport;
  const setScale = (deviceScaleFactor: number) =>
    tab.cdp.send('Emulation.setDeviceMetricsOverride', {
      ...size,
      deviceScaleFactor,
      mobile: false,
      dontSetVisibleSize: true,
    });
  try {
    const [, picture] = await Promise.all([setScale(scale), tab.cdp.send('Page.captureScreenshot', PNG)]);
    return picture;
  } finally {
    // Not sent together with the others, because the screenshot could be taken in between. Later requests are executed
    // later, and report errors.
    setScale(1).catch(() => undefined);
    tab.pictureScale = scale;
    tab.fitView();
  }
}

function png(data: Buffer): Picture {
  return { type: 'png', data, width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}
