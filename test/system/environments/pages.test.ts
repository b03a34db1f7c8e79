import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { EnvironmentError, type Picture } from '../../../src/environments/environment.ts';
import { repeatedSample } from '../../sample.ts';
import { files, launch, SOON, serve, showing, task } from './stage.ts';

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  environment = new BrowserEnvironment({ browser: async () => browser, log: console.log }, SOON);
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

const bidOf = (text: string | null, what: string): string =>
  new RegExp(`\\[(\\w+)\\] ${what}`).exec(text ?? '')?.[1] ?? '?';

describe('the start of a task', () => {
  it('is a page file next to it, cookies, and local storage that the page can change', async () => {
    const page = `<title>x</title><script>document.title = document.cookie + ' ' + localStorage.cart;
      localStorage.cart = 'changed';</script><link rel=stylesheet href=style.css><a href=index.html>again</a>`;
    const result = await environment.reset({
      task: task({
        start_url: 'index.html?a=1',
        cookies: [{ name: 'session', value: 'abc' }],
        local_storage: { cart: 'two' },
      }),
      files: files({ 'index.html': page, 'style.css': 'body { color: red }' }),
      seed: 0,
    });
    expect(result.info).toMatchObject({ url: 'http://task.localhost/index.html?a=1', title: 'session=abc two' });
    expect(result.info.messages).toBeUndefined();
    expect(result.observation.screenshot).toMatchObject({ type: 'png', width: 1280, height: 720 });
    expect((await environment.step(["click('a')"])).info.title).toBe('session=abc changed');
  });

  it('is inline HTML, with access to the files next to the task', async () => {
    const result = await showing(environment, '<script src=app.js></script>', {
      'app.js': 'document.title = location.origin',
    });
    expect(result.info).toMatchObject({ url: 'http://task.localhost/', title: 'http://task.localhost' });
  });

  it('is nothing, then a setup call opens a page', async () => {
    await environment.reset({ task: task({}), files: files({ 'a.html': '<title>A</title>' }), seed: 0 });
    const context = environment.functionContext();
    await context.open?.({ url: 'a.html' });
    expect((await environment.observe()).info.title).toBe('A');
    await context.open?.({ html: '<title>B</title>' });
    expect((await environment.observe()).info.title).toBe('B');
    await expect(context.open?.({ url: 'file:///etc/passwd' })).rejects.toThrow(/cannot be opened here/);
  });

  it('is clean: no cookie, storage, tab, or action of the previous task', async () => {
    await showing(environment, '<script>document.cookie = "a=1"; localStorage.a = 1;</script>');
    await environment.step(['new_tab()', "response('x')"]);
    const result = await showing(
      environment,
      '<script>document.title = "[" + document.cookie + localStorage.length + "]"</script>',
    );
    expect(result.info.title).toBe('[0]');
    expect(environment.functionContext()).toMatchObject({ response: null, actions: [] });
    expect(environment.functionContext().page?.context().pages()).toHaveLength(1);
  });

  it('fails the reset with an explanation if it is not available', async () => {
    const begin = (start_url: string): Promise<unknown> =>
      environment.reset({ task: task({ start_url }), files: files({}), seed: 0 });
    await expect(begin('missing.html')).rejects.toMatchObject({
      code: 'start_failed',
      message:
        'the task cannot start: `missing.html` cannot be opened: the file missing.html does not exist next to the task',
    });
    const server = await serve({ '/slow': { open: true, body: '<script src="/never"></script>' } });
    await expect(begin(`${server.url}/never`)).rejects.toThrow(`${server.url}/never did not respond within 4 s`);
    await expect(begin(`${server.url}/slow`)).rejects.toThrow(`${server.url}/slow did not finish loading within 4 s`);
    await server.close();
  });
});

describe('the clipboard', () => {
  const paste = async (): Promise<string | null> => {
    await showing(environment, '<input id=i>');
    const { observation } = await environment.step(["click('#i')", "press('#i', 'Control+v')"]);
    return observation.text;
  };

  it('does not contain what the previous task copied', async () => {
    await showing(environment, '<input id=i value="a secret">');
    const result = await environment.step([
      "press('#i', 'Control+a')",
      "press('#i', 'Control+c')",
      "press('#i', 'End')",
      "press('#i', 'Control+v')",
    ]);
    expect(result.observation.text).toContain('a secreta secret');
    expect(await paste()).not.toContain('secret');
  });

  it('is empty of what was copied with its looks, too', async () => {
    const editable = (html: string): string => `<div id=d contenteditable>${html}</div>`;
    const keys = (...names: readonly string[]): string[] => names.map((name) => `press('#d', '${name}')`);
    await showing(environment, editable('<b>bold secret</b>'));
    const result = await environment.step(keys('Control+a', 'Control+c', 'ArrowRight', 'Control+v'));
    expect(result.observation.text?.match(/bold secret/g)?.length).toBeGreaterThan(1);
    await showing(environment, editable('none'));
    expect((await environment.step(keys('Control+v'))).observation.text).not.toContain('secret');
  });
});

describe('a page that misbehaves', () => {
  it('never finishes loading: the action reports it, and the previous page stays', async () => {
    const server = await serve({});
    await showing(environment, `<title>Home</title><a href="${server.url}/never">leave</a><p>still here</p>`);
    const result = await environment.step([`goto('${server.url}/never')`]);
    expect(result.error).toEqual({
      code: 'page_not_loaded',
      message: `${server.url}/never did not respond within 4 s`,
    });
    expect(result.info.title).toBe('Home');
    const clicked = await environment.step(["click('a')"]);
    expect(clicked.error).toEqual(result.error);
    expect(clicked.observation.text).toContain('still here');
    await server.close();
  });

  it('opens dialogs: they are answered, recorded, and block nothing', async () => {
    await showing(
      environment,
      `<button onclick="alert('hi'); document.title = confirm('sure?') + ' ' + prompt('name?')">x</button>
       <script>addEventListener('beforeunload', (event) => event.preventDefault());</script>`,
      { 'b.html': '<title>B</title>' },
      { metadata: { dialogs: 'dismiss' } },
    );
    const { info } = await environment.step(["click('button')"]);
    expect(info.title).toBe('false null');
    expect(info.messages?.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'dialog: alert “hi” was dismissed',
      'dialog: confirm “sure?” was dismissed',
      'dialog: prompt “name?” was dismissed',
    ]);
    expect((await environment.step(["goto('b.html')"])).info.title).toBe('B');
  });

  it('registers a service worker: it is refused at once, and the step says so', async () => {
    const register = `navigator.serviceWorker.register('worker.js')
      .then(() => { document.title = 'registered'; }, (error) => { document.title = error.name; })`;
    await showing(environment, `<button onclick="${register}">x</button>`, { 'worker.js': '' });
    const { info } = await environment.step(["click('button')"]);
    expect(info.title).toBe('NotSupportedError');
    expect(info.messages?.map(({ kind, text }) => [kind, text])).toEqual([
      ['warning', 'Service workers are not available in tasks.'],
    ]);
  });

  it('logs: console messages, errors, and missing files are recorded once, in their step', async () => {
    await showing(
      environment,
      '<button onclick="console.warn(\'careful\'); missing()">x</button><button id=b onclick="new Image().src=\'no.png\'">y</button>',
    );
    const first = await environment.step(["click('button')"]);
    expect(first.info.messages).toEqual([
      { kind: 'warning', text: 'careful', location: expect.stringContaining('http://task.localhost/') },
      {
        kind: 'exception',
        text: expect.stringContaining('missing is not defined'),
        location: 'http://task.localhost/',
      },
    ]);
    const second = await environment.step(["click('#b')"]);
    expect(second.info.messages).toEqual([
      {
        kind: 'request',
        text: '404: the file no.png does not exist next to the task',
        location: 'http://task.localhost/no.png',
      },
    ]);
  });

  it('runs an endless script: the step returns and reports it', async () => {
    await showing(environment, '<button onclick="setTimeout(() => { while (true) {} })">x</button>');
    const result = await environment.step(["click('button')"]);
    expect(result.error).toMatchObject({ code: 'page_hung' });
    expect(result.observation.text).toBeNull();
  });

  it.each([
    ['the site that the task begins on', true, 'page_crashed'],
    ['a site that the agent went to', false, 'visited_page_crashed'],
  ])('crashes on %s, which determines whose fault it is', async (_where, isStart, code) => {
    const site = await serve({ '/': { body: '<p>x</p>' } });
    try {
      if (!isStart) await showing(environment, '<p>Start</p>');
      else await environment.reset({ task: task({ start_url: site.url }), files: files({}), seed: 0 });
      expect((await environment.step([`goto('${site.url}')`])).error).toBeNull();
      const page = environment.functionContext().page as Page;
      const crash = new Promise((resolve) => page.on('crash', resolve));
      const session = await page.context().newCDPSession(page);
      session.send('Page.crash').catch(() => undefined);
      await crash;
      await expect(environment.step(["click('p')"])).rejects.toMatchObject({ code });
      // Whose site it was is forgotten with the task.
      expect((await showing(environment, '<title>fine</title>')).info.title).toBe('fine');
    } finally {
      await site.close();
    }
  });

  it('crashes: the session ends with page_crashed, and the next task works', async () => {
    await showing(environment, '<p>x</p>');
    const page = environment.functionContext().page;
    const crash = new Promise((resolve) => page?.on('crash', resolve));
    page?.goto('chrome://crash').catch(() => undefined);
    await crash;
    await expect(environment.step(["click('p')"])).rejects.toMatchObject({ code: 'page_crashed' });
    expect((await showing(environment, '<title>fine</title>')).info.title).toBe('fine');
  });
});

describe('tabs', () => {
  it('follow opened and closed pages, and are selected by index', async () => {
    await showing(
      environment,
      '<title>one</title><a href=two.html target=_blank>two</a><button onclick="window.open(\'two.html\')">open</button>',
      { 'two.html': '<title>two</title><button onclick="window.close()">close</button>' },
    );
    expect((await environment.step(["click('a')"])).info.title).toBe('two');
    expect((await environment.step(['tab_focus(0)'])).info.title).toBe('one');
    expect((await environment.step(["click('button')"])).info.title).toBe('two');
    const result = await environment.step(["click('button')"]);
    expect(result).toMatchObject({ error: null, info: { title: 'one' } });
    expect((await environment.step(['tab_focus(1)', 'tab_close()'])).info.title).toBe('one');
    expect((await environment.step(['tab_close()'])).info.url).toBe('about:blank');
    expect((await environment.step(['new_tab()', 'tab_focus(-1)'])).error).toBeNull();
  });
});

describe('frames and shadow roots', () => {
  it('have ids and can be acted on, in the same and in another process', async () => {
    const server = await serve({
      '/': {
        body: `<iframe src=/in></iframe><iframe src="http://task.localhost/in.html"></iframe>
          <div><template shadowrootmode=open><button onclick="this.textContent='Deep!'">Deep</button></template></div>
          <input type=date>`,
      },
      '/in': { body: '<button onclick="this.textContent=\'Near!\'">Near</button>' },
    });
    const result = await environment.reset({
      task: task({ start_url: server.url }),
      files: files({ 'in.html': '<button onclick="this.textContent=\'Away!\'">Away</button>' }),
      seed: 0,
    });
    const { text } = result.observation;
    expect(bidOf(text, "button 'Near'")).toMatch(/^a\d+$/);
    expect(bidOf(text, "button 'Away'")).toMatch(/^b\d+$/);
    expect(bidOf(text, "spinbutton 'Month'")).toBe(bidOf(text, 'Date'));
    for (const name of ['Near', 'Away', 'Deep']) {
      const { error, observation, info } = await environment.step([`click('${bidOf(text, `button '${name}'`)}')`]);
      expect(error).toBeNull();
      expect(observation.text).toContain(`button '${name}!'`);
      expect(info.acted?.[0]).toMatchObject({ element: `button “${name}”` });
    }
    const near = environment.functionContext().actions[0];
    expect(await near?.matches('body > button')).toBe(true);
    await server.close();
  });

  it('leave nothing in the page', async () => {
    await showing(environment, '<div><template shadowrootmode=open><button>Deep</button></template></div><p>x</p>');
    const page = environment.functionContext().page;
    const look = (): Promise<string | undefined> | undefined =>
      page?.evaluate(() => document.documentElement.outerHTML + Object.getOwnPropertyNames(window).join());
    const before = await look();
    const { observation } = await environment.step(["click('p')"]);
    await environment.step([`click('${bidOf(observation.text, "button 'Deep'")}')`, 'mouse_click(10, 10)', 'noop(0)']);
    expect(await look()).toBe(before);
  });

  it('of a page nested deeper than the protocol can carry are numbered too', async () => {
    const result = await showing(environment, `${'<div>'.repeat(400)}<button>Deep</button>`);
    expect((await environment.step([`click('${bidOf(result.observation.text, "button 'Deep'")}')`])).error).toBeNull();
  });
});

describe('an agent that tries to leave', () => {
  it.each(
    repeatedSample([
      'file:///etc/passwd',
      'chrome://version',
      'data:text/html,x',
      'view-source:http://task.localhost/',
      'javascript:alert(1)',
    ]),
  )('by goto to %s is rejected', async (url) => {
    await showing(environment, '<title>Home</title>');
    const { error, info } = await environment.step([`goto('${url}')`]);
    expect(error).toMatchObject({ code: 'navigation_refused', message: expect.stringContaining(url) });
    expect(info.title).toBe('Home');
  });

  it.each(
    repeatedSample([
      '<a href="file:///etc/passwd">x</a>',
      '<a href="file:///etc/passwd" target=_blank>x</a>',
      '<a href="chrome://version">x</a>',
      '<a href="data:text/html,x">x</a>',
      '<a href="view-source:http://task.localhost/">x</a>',
      '<a onclick="window.open(\'file:///etc/passwd\')">x</a>',
      '<a onclick="location = \'file:///etc/passwd\'">x</a>',
    ]),
  )('by %s is rejected', async (link) => {
    await showing(environment, `<title>Home</title>${link}`);
    const { error, info, observation } = await environment.step(["click('a')"]);
    expect(error).toMatchObject({ code: 'navigation_refused' });
    expect(info.url).toMatch(/^(http:\/\/task.localhost\/|about:blank.*)$/);
    expect(observation.text).not.toContain('root:');
  });

  it('by a redirect, a frame, a key or a request of its page sees nothing', async () => {
    const server = await serve({ '/r': { status: 302, headers: { location: 'file:///etc/passwd' } } });
    await showing(environment, '<title>Home</title><iframe src="file:///etc/passwd"></iframe>', {
      'shop.task.json': '{"secret": 1}',
    });
    expect((await environment.step([`goto('${server.url}/r')`])).error).toMatchObject({ code: 'page_not_loaded' });
    await showing(environment, '<title>Home</title><iframe src="file:///etc/passwd"></iframe>', {
      'shop.task.json': '{}',
    });
    for (const keys of ['Control+u', 'Control+o', 'Control+l', 'Control+t', 'F12', 'Control+j']) {
      const { info, observation } = await environment.step([`keyboard_press('${keys}')`]);
      expect(info.url).toBe('http://task.localhost/');
      expect(observation.text).not.toContain('root:');
    }
    const page = environment.functionContext().page;
    const read = await page?.evaluate(async () => {
      const addresses = ['shop.task.json', 'file:///etc/passwd', './', 'shop.actions', '..%2fshop.task.json'];
      return Promise.all(
        addresses.map((url) =>
          fetch(url).then(
            (answer) => answer.status,
            () => 'failed',
          ),
        ),
      );
    });
    expect(read).toEqual([404, 'failed', 200, 404, 404]);
    await server.close();
  });
});

describe('the live picture', () => {
  const moving = '<style>@keyframes go{to{margin-left:500px}}p{animation:go 1s infinite}</style><p>moving</p>';

  it('comes while a page moves, follows the tabs and ends', async () => {
    await showing(environment, moving, { 'still.html': '<p>still</p>' });
    const pictures: Picture[] = [];
    let wantedCount = 5;
    let enough = (): void => undefined;
    const stop = await environment.live((picture) => {
      pictures.push(picture);
      if (pictures.length >= wantedCount) enough();
    });
    const more = (count: number): Promise<void> =>
      new Promise((resolve) => {
        wantedCount = pictures.length + count;
        enough = resolve;
      });
    await more(5);
    expect(pictures[0]).toMatchObject({ type: 'jpg', width: 1280, height: 720 });
    expect(Buffer.from(pictures[0]?.data ?? []).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    const other = more(1);
    await environment.step(['new_tab()', "goto('still.html')"]);
    await other;
    await showing(environment, moving);
    await more(3);
    await stop();
    const count = pictures.length;
    await environment.step(['noop(100)']);
    expect(pictures).toHaveLength(count);
  });
});

describe('the browser', () => {
  it('that goes away ends the session with browser_crashed', async () => {
    const own = await launch();
    const lone = new BrowserEnvironment({ browser: async () => own, log: console.log }, SOON);
    await showing(lone, '<p>x</p>');
    const failure = expect(lone.step(['noop(60000)'])).rejects.toMatchObject({ code: 'browser_crashed' });
    await own.close();
    await failure;
    await expect(lone.step(['noop(0)'])).rejects.toMatchObject({ code: 'browser_crashed' });
    await lone.close();
    expect(lone.urls().url).toBeNull();
    expect(() => lone.functionContext()).toThrow(EnvironmentError);
  });
});
