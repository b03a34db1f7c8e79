import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionOfGesture } from '../../../src/agents/manual/manual.ts';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import type { Pointed } from '../../../src/environments/environment.ts';
import { repeatedSample } from '../../sample.ts';
import { miniwobEnvironment, miniwobTask, missing, reset } from './miniwob-pages.ts';
import { launch, PATIENT, showing } from './stage.ts';

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  const tools = { browser: async () => browser, log: console.log, miniwob: async () => null as never };
  environment = new BrowserEnvironment(tools, PATIENT);
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

/** What stands at the middle of the first element that matches, in a page or in the frame of a page. */
async function describeAt(html: string, selector: string, frame?: string): Promise<Pointed | null> {
  await showing(environment, html);
  const page = environment.functionContext().page;
  const locator = frame === undefined ? page?.locator(selector) : page?.frameLocator(frame).locator(selector);
  const box = await locator?.first().boundingBox();
  if (!box) throw new Error(`${selector} is not on the page`);
  // A frame may have come after the first observation.
  await environment.observe();
  return environment.pointed({ x: Math.floor(box.x + box.width / 2), y: Math.floor(box.y + box.height / 2) });
}

describe('the element at a point', () => {
  it.each<[string, string, string, string]>(
    repeatedSample([
      ['its id', '<button id=buy>Buy</button>', 'button', '#buy'],
      [
        'its test id before a made-up one',
        '<button id=r-183746 data-testid=buy>Buy</button>',
        'button',
        '[data-testid="buy"]',
      ],
      ['its name', '<input name=user><input name=mail>', '[name=mail]', 'input[name="mail"]'],
      [
        'its name and value, as one of several',
        '<input type=radio name=size value=s><input type=radio name=size value="x &quot;l&quot;">',
        'input >> nth=1',
        'input[name="size"][value="x \\"l\\""]',
      ],
      [
        'its label for screen readers',
        '<button aria-label="Close dialog">×</button>',
        'button',
        'button[aria-label="Close dialog"]',
      ],
      [
        'its words',
        '<button>Cancel</button><button>Add  to cart</button>',
        'button >> nth=1',
        'button:has-text("Add to cart")',
      ],
      [
        'its address',
        '<a href="/a"><img alt=""></a><a href="/b" style="padding:20px"></a>',
        'a >> nth=1',
        'a[href="/b"]',
      ],
      ['a made-up id where there is nothing else', '<button id=":r1f:"></button>', 'button', '#\\:r1f\\:'],
      [
        'its place below something that has a name',
        '<ul id=list><li><button>Delete</button><li><button>Delete</button></ul>',
        'button >> nth=1',
        '#list > li:nth-of-type(2) > button',
      ],
      ['the control around it', '<button id=buy><b><i>Buy</i></b></button>', 'i', '#buy'],
      [
        'its id in a shadow root',
        '<x-y></x-y><script>document.querySelector("x-y").attachShadow({mode:"open"}).innerHTML="<button id=in>Buy</button>"</script>',
        '#in',
        '#in',
      ],
    ]),
  )('is named by %s', async (_, html, at, selector) => {
    const description = await describeAt(html, at);
    expect(description).toMatchObject({ selector, steady: true });
    const result = await environment.step([`click(${JSON.stringify(description?.selector)})`]);
    expect(result.error).toBeNull();
  });

  it('has the id of the last observation, in a frame that alone', async () => {
    const html = '<p>Top</p><iframe srcdoc="<button>In</button>" style="border:0"></iframe>';
    const inner = await describeAt(html, 'button', 'iframe');
    expect(inner).toMatchObject({ selector: null, bid: expect.stringMatching(/^a\d+$/), steady: true });
    const result = await environment.step([`click('${inner?.bid}')`]);
    expect(result.info.acted?.[0]).toMatchObject({ element: 'button “In”' });
    const outer = await describeAt('<button>One</button>', 'button');
    expect((await environment.observe()).observation.text).toContain(`[${outer?.bid}] button 'One'`);
  });

  it.each<[string, string, string]>(
    repeatedSample([
      ['a canvas', '<canvas id=map width=300 height=200></canvas>', 'canvas'],
      ['a drawing', '<svg id=s width=200 height=200><circle cx=100 cy=100 r=90 /></svg>', 'circle'],
      ['a slider', '<input id=s type=range>', 'input'],
      ['the empty page', '<body style="height:600px"></body>', 'body'],
      ['a picture', '<img id=i width=200 height=200 alt=x>', 'img'],
    ]),
  )('has a point and no name if that is %s', async (_, html, at) => {
    expect(await describeAt(html, at)).toMatchObject({ steady: false });
  });

  it('has a point if another element covers the center of the element', async () => {
    const html =
      '<div id=box style="width:400px;height:200px;padding:1px"><b id=cover style="display:block;margin:50px 100px;height:80px"></b></div>';
    await showing(environment, html);
    expect(await environment.pointed({ x: 20, y: 190 })).toMatchObject({ selector: '#box', steady: false });
  });

  it('includes the native control that a click would open', async () => {
    const list =
      '<label for=size>Size</label><select id=size><option value=s>Small<option value=l selected>Large</select>';
    expect(await describeAt(list, 'select')).toMatchObject({
      label: 'Size',
      asks: {
        kind: 'select',
        multiple: false,
        options: [
          { value: 's', label: 'Small', chosen: false },
          { value: 'l', label: 'Large', chosen: true },
        ],
      },
    });
    const date = '<input type=date name=day value=2026-05-01>';
    expect(await describeAt(date, 'input')).toMatchObject({
      asks: { kind: 'value', type: 'date', value: '2026-05-01' },
    });
    expect(await describeAt('<input type=file id=f>', 'input')).toMatchObject({ asks: { kind: 'file' } });
    expect(await describeAt('<input id=f>', 'input')).toMatchObject({ asks: null });
    expect(await describeAt('<input id=f type=password autofocus>', 'input')).toMatchObject({ secret: true });
    expect(await environment.pointed(null)).toMatchObject({ selector: '#f', secret: true });
    expect(await describeAt('<p draggable=true id=card>Card</p>', 'p')).toMatchObject({ draggable: true });
  });

  it('changes nothing in the page', async () => {
    await showing(environment, '<button id=buy>Buy</button>');
    const page = environment.functionContext().page;
    const names = () => page?.evaluate(() => Object.getOwnPropertyNames(window).join());
    const before = [await page?.content(), await names()];
    await environment.pointed({ x: 20, y: 20 });
    expect([await page?.content(), await names()]).toEqual(before);
  });
});

describe.skipIf(missing !== null)('a task of MiniWoB++ by hand', () => {
  it.each([[[]], [['Shift']]] as const)('is solved by a click on its button with %j held', async (hold) => {
    const gym = miniwobEnvironment(browser);
    try {
      await reset(gym, miniwobTask('click-test'), 0);
      const box = await gym.functionContext().page?.locator('#subbtn').boundingBox();
      // Its last pixel: one too far, as without the scale of its pictures, and the click would miss.
      const point = { x: Math.floor((box?.x ?? 0) + (box?.width ?? 0) - 1), y: Math.floor((box?.y ?? 0) + 2) };
      const work = {
        findElement: (at: typeof point | null) => gym.pointed(at),
        ask: async () => null,
        browsergym: true,
      };
      const action = await actionOfGesture({ kind: 'click', point, button: 'left', count: 1, hold }, work);
      if (hold.length === 0) expect(action).toMatch(/^click\('\d+'\)$/);
      const { reward, terminated, error } = await gym.step([action ?? '']);
      expect({ terminated, error }).toEqual({ terminated: true, error: null });
      expect(reward).toBeGreaterThan(0);
    } finally {
      await gym.close();
    }
  });
});
