import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import type { RecordedSnapshot, StepResult } from '../../../src/environments/environment.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { readPage } from '../../../src/functions/page/read-page.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { caseCount } from '../../sample.ts';
import { files, live, rebuilt, serve, shareEnvironments, showing, task } from './stage.ts';

shareEnvironments();

let resources: Record<string, Uint8Array> = {};
beforeEach(() => {
  resources = {};
});

/** What a step recorded, as a moment to stand at. */
function moment({ recorded }: StepResult, more: Partial<RecordedSnapshot> = {}): RecordedSnapshot {
  Object.assign(resources, recorded?.resources);
  return {
    page: recorded?.page ?? null,
    resources,
    actions: recorded?.actions ?? [],
    response: null,
    fresh: false,
    ...more,
  };
}

/** The state of a page that evaluate functions can read. */
async function readState(environment: BrowserEnvironment) {
  const page = environment.functionContext().page as Page;
  const facts = () => {
    const all = (root: Document | ShadowRoot): Element[] =>
      Array.from(root.querySelectorAll('*')).flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
    return all(document).map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const field = element as HTMLInputElement;
      return [
        element.localName,
        field.value,
        field.checked,
        [x, y, width, height].map(Math.round),
        element.scrollTop,
      ].join(' ');
    });
  };
  return {
    url: page.url(),
    title: await page.title(),
    text: (await readPage(page, { explain: false })).text,
    cookies: await page.context().cookies(),
    storage: await page.evaluate(() => [{ ...localStorage }, { ...sessionStorage }]),
    quirks: await page.evaluate(() => document.compatMode),
    elements: await page.evaluate(facts),
    frames: await Promise.all(
      page
        .frames()
        .slice(1)
        .map(async (frame) => [frame.url(), await frame.evaluate(facts)]),
    ),
  };
}

const call = (name: string, ...args: string[]) =>
  runCall({ function: name, args }, 'evaluate', rebuilt.functionContext(), NO_USER_FUNCTIONS);

describe('a recorded page is rebuilt', () => {
  it('with its URL, cookies, storage, fields, shadow roots, frames, style sheets, dialogs, and scroll positions', async () => {
    const start = await showing(
      live,
      `<!doctype html><title>Shop</title><link rel=stylesheet href=a.css><style id=s></style>
       <p id=p>Hello <b>you</b></p><p class=gone>not shown</p><p id=late>styled by a script</p>
       <input id=text value=a><input type=checkbox id=box checked><select id=list><option>one<option>two</select>
       <textarea id=area>x</textarea><div id=host></div><table id=t><tr><td>cell</table>
       <div id=scroll style="height:50px;overflow:auto"><div style="height:500px">tall</div></div>
       <dialog id=d>open</dialog><iframe srcdoc="<!doctype html><p>inner<input id=i>"></iframe><template><p>never</p></template>
       <svg width=20 height=20><circle r=5 /></svg><a href="?next">next</a>
       <script>document.cookie = 'a=1'; localStorage.cart = 'two'; sessionStorage.x = '1'; var cart = 3;
         const shade = host.attachShadow({ mode: 'open' }); shade.innerHTML = '<i>shade</i>';
         const sheet = new CSSStyleSheet(); sheet.replaceSync('i { display: block; width: 77px }'); shade.adoptedStyleSheets = [sheet];
         s.sheet.insertRule('#late { padding: 7px }');
         document.body.append(Object.assign(document.createElement('p'), { innerHTML: '<span>p in p</span>' }));
         p.append(Object.assign(document.createElement('div'), { textContent: 'div in p' }));
         history.pushState(null, '', '/cart?x=1#here')</script>`,
      { 'a.css': '.gone { display: none } #p { margin-left: 31px }' },
    );
    await live.step([
      "fill('#text', 'typed')",
      "click('#box')",
      "select_option('#list', 'two')",
      "fill('#area', 'long')",
    ]);
    const page = live.functionContext().page as Page;
    await page.evaluate(() => {
      (document.querySelector('#scroll') as HTMLElement).scrollTop = 42;
      (document.querySelector('dialog') as HTMLDialogElement).showModal();
    });
    await page.frames()[1]?.fill('#i', 'in the frame');
    const result = await live.observe();
    const before = await readState(live);
    moment(start);
    const first = await live.step(['noop(1)']);
    expect(await rebuilt.restore(moment(result))).toEqual([]);
    expect(await readState(rebuilt)).toEqual(before);
    // Once more in the same document, which the first time has left as it is.
    await rebuilt.restore(moment(first));
    expect(await readState(rebuilt)).toEqual(before);
    expect(rebuilt.functionContext().recording?.history).toBe(2);
  });

  it('without running its scripts or sending requests to the network', async () => {
    const body = '<p id=p>live</p><script>setInterval(() => { p.textContent += "?" }, 5)</script>';
    const site = await serve({ '/': { body } });
    const result = await live.reset({ task: task({ start_url: `${site.url}/` }), files: files({}), seed: 0 });
    await live.reset({ task: task({}), files: files({}), seed: 0 });
    await site.close();
    await rebuilt.restore(moment(result));
    const page = rebuilt.functionContext().page as Page;
    const text = await page.textContent('#p');
    // As long as the same page takes where its scripts run to change ten times.
    const other = await (page.context().browser() as Browser).newPage();
    await other.setContent(body);
    await other.waitForFunction(() => /[?]{10}/.test(document.querySelector('#p')?.textContent ?? ''));
    await other.close();
    expect(await page.textContent('#p')).toBe(text);
    expect(await call('url_match', `${site.url}/`)).toMatchObject({ value: 1 });
    expect(
      await page.evaluate(
        (url) =>
          fetch(url).then(
            () => 'came',
            () => 'nothing',
          ),
        site.url,
      ),
    ).toBe('nothing');
  });

  it('even if HTML cannot express its tree', async () => {
    type Tree = {
      readonly tag: string;
      readonly attributes: Record<string, string>;
      readonly children: readonly (Tree | string)[];
    };
    const tags = [
      'p',
      'div',
      'a',
      'table',
      'tr',
      'td',
      'form',
      'button',
      'select',
      'option',
      'ul',
      'li',
      'h1',
      'script',
      'noscript',
      'textarea',
      'template',
      'svg',
      'title',
      'x-own',
      'pre',
      'details',
      'input',
      'style',
      'body',
      'head',
    ];
    const attributes = fc.dictionary(
      fc.constantFrom('id', 'class', 'title', '@click', ':x', 'x.y', '[b]', 'xlink:href', 'hidden', 'style', 'value'),
      fc.oneof(fc.constantFrom('', 'color: red', '"quoted" & <b>'), fc.string({ unit: 'grapheme', maxLength: 6 })),
      { maxKeys: 3 },
    );
    const text = fc.oneof(fc.constantFrom(' ', '\n', '<b>&amp;'), fc.string({ unit: 'grapheme', maxLength: 8 }));
    const { tree } = fc.letrec<{ tree: Tree; node: Tree | string }>((tie) => ({
      tree: fc.record({
        tag: fc.constantFrom(...tags),
        attributes,
        children: fc.array(tie('node'), { maxLength: 3 }),
      }),
      node: fc.oneof({ depthSize: 'small' }, text, tie('tree')),
    }));
    await showing(live, '<main></main>');
    const make = (trees: readonly Tree[]) => {
      const build = ({ tag, attributes, children }: Tree): Element => {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) {
          const template = document.createElement('template');
          template.innerHTML = `<i ${name}></i>`;
          const attribute = template.content.firstElementChild?.attributes[0];
          if (!attribute) continue;
          attribute.ownerElement?.removeAttributeNode(attribute);
          attribute.value = value;
          element.setAttributeNode(attribute);
        }
        element.append(...children.map((child) => (typeof child === 'string' ? child : build(child))));
        return element;
      };
      document.body.replaceChildren(...trees.map(build));
    };
    const shape = () => {
      const of = (node: Node): unknown =>
        node instanceof Element
          ? [
              node.localName,
              Array.from(node.attributes, ({ name, value }) => [name, value]),
              Array.from(node.childNodes, of),
            ]
          : node.nodeValue;
      return of(document.documentElement);
    };
    const [acting, judging] = [live.functionContext().page as Page, () => rebuilt.functionContext().page as Page];
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 4 }), async (trees) => {
        await acting.evaluate(make, trees);
        await rebuilt.restore(moment(await live.observe()));
        expect(await judging().evaluate(shape)).toEqual(await acting.evaluate(shape));
      }),
      { numRuns: caseCount(10, 40) },
    );
  });

  it('with its frames, of the same site and of another', async () => {
    const top = '<p>top</p><iframe src=/near></iframe><iframe src="http://task.localhost/in.html"></iframe>';
    const site = await serve({ '/': { body: top }, '/near': { body: '<p>near</p>' } });
    const start = await live.reset({
      task: task({ start_url: `${site.url}/` }),
      files: files({ 'in.html': '<title>o</title><p>other site</p><input id=i value=old>' }),
      seed: 0,
    });
    moment(start);
    const page = live.functionContext().page as Page;
    await page.frames()[2]?.fill('#i', 'typed');
    const result = await live.observe();
    const before = await readState(live);
    await site.close();
    expect(before.text).toContain('typed');
    expect(await rebuilt.restore(moment(result))).toEqual([]);
    expect(await readState(rebuilt)).toEqual(before);
  });

  it('and keeps style sheets between pages only if they are the same', async () => {
    const page = (body: string, css: string) =>
      showing(
        live,
        `<!doctype html><html lang=en><head><link rel=stylesheet href=a.css><title>${body}</title>
        <link rel=stylesheet href=b.css></head><body style="height: 3000px"><p id=p>${body}</p></body>`,
        {
          'a.css': '#p { margin-left: 31px }',
          'b.css': css,
        },
      );
    const pages: [StepResult, Awaited<ReturnType<typeof readState>>][] = [];
    for (const [body, css] of [
      ['one', '#p { width: 100px }'],
      ['two', '#p { width: 100px }'],
      ['three', '#p { width: 200px }'],
    ] as const) {
      const result = await page(body, css);
      pages.push([result, await readState(live)]);
    }
    const plain = await showing(live, '<!doctype html><p id=p>plain</p>');
    pages.push([plain, await readState(live)]);
    for (const [result] of pages) moment(result);
    const requests: string[] = [];
    for (const at of [0, 1, 2, 3, 1, 0]) {
      const [result, before] = pages[at] as (typeof pages)[number];
      await rebuilt.restore(moment(result));
      expect(await readState(rebuilt)).toEqual(before);
      const own = rebuilt.functionContext().page as Page;
      if (at === 0 && requests.length === 0) own.on('request', (request) => requests.push(request.url().slice(-5)));
      await own.evaluate(() => scrollTo(0, 500));
    }
    // For the third one, for the second one after the plain one, and nothing for the first after the second.
    expect(requests).toEqual(['b.css', 'a.css', 'b.css']);
  });

  it('or rejected with an explanation if it is of a newer version', async () => {
    const result = await showing(live, '<p>x</p>');
    const newer = { ...JSON.parse(Buffer.from(result.recorded?.page ?? []).toString()), version: 2 };
    const newerMoment = moment(result, { page: Buffer.from(JSON.stringify(newer)) });
    await expect(rebuilt.restore(newerMoment)).rejects.toMatchObject({ code: 'not_recorded' });
    await expect(rebuilt.restore(moment(result, { page: null }))).rejects.toMatchObject({ code: 'not_recorded' });
  });

  it('and gives the results of the live page, also for actions', async () => {
    await showing(live, '<input id=a><button>Go</button><p>Done</p>');
    const result = await live.step(["fill('#a', 'x')"]);
    await rebuilt.restore(moment(result));
    for (const [value, name, ...args] of [
      [1, 'page_contains', 'Done'],
      [0, 'page_contains', 'Lost'],
      [1, 'element_exists', 'button'],
      [1, 'verify_type_action', '#a', 'x'],
      [1, 'selector_history', 'body > input'],
      [0, 'selector_history', 'button'],
    ] as const) {
      expect(await call(name, ...args), name).toMatchObject({ value });
    }
  });

  it('and reports when a function reads script values of the page', async () => {
    const result = await showing(live, '<p>x</p><script>var cart = 3; let total = 4</script>');
    await rebuilt.restore(moment(result));
    const run = (body: () => unknown) =>
      runCall({ function: 'mine', args: [] }, 'evaluate', rebuilt.functionContext(), {
        functions: new Map([
          [
            'mine',
            {
              name: 'mine',
              file: '/f.ts',
              phase: undefined,
              args: undefined,
              run: async ({ page }) => page.evaluate(body),
            },
          ],
        ]),
        tasks: new Map(),
        failures: [],
      });
    expect(await run(() => (globalThis as unknown as { cart?: number }).cart === 3)).toMatchObject({
      error: { code: 'not_recorded', message: expect.stringContaining('`cart`') },
    });
    expect(await run(() => document.querySelector('p') !== null)).toMatchObject({ value: 1 });
  });
});
