import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAllowed, resolveAddress } from '../../../src/environments/browser/pages/addresses.ts';
import { PageFiles } from '../../../src/environments/browser/pages/page-files.ts';

const top = mkdtempSync(join(tmpdir(), 'taskwright-pages-'));
const folder = join(top, 'tasks');
const files = new PageFiles({ folder });
const KEPT = [
  'shop.task.json',
  'SHOP.TASK.JSON',
  'all.tasks.jsonl',
  'all.taskset.yaml',
  'tasks.json',
  'tasks.yml',
  'shop.actions',
  'shop.functions.ts',
  'shop.functions.js',
  'shop.functions.mjs',
  'my.agent.js',
  '.env',
  '.hidden.html',
  '.taskwright/jobs/run.json',
  'node_modules/x/index.js',
  '__pycache__/hudtasks.cpython-313.json',
  // What file systems take for the same name: a long s, a Kelvin sign, characters without a glyph.
  'shop.action\u017f',
  'shop.ta\u017f\u212a.json',
  'shop.act\u200dions',
  '\u200c.env',
  'shop.functions.\ufefft\u017f',
];
const SERVED = [
  'shop.html',
  'style.css',
  'app.js',
  'app.mjs',
  'data.json',
  'pages/in ner.html',
  'pic.PNG',
  'f.woff2',
  'a.mp4',
];

beforeAll(() => {
  for (const path of [...KEPT, ...SERVED, 'notes.txt', 'secret.py']) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  writeFileSync(join(top, 'outside.html'), 'outside');
  symlinkSync(join(top, 'outside.html'), join(folder, 'link-out.html'));
  symlinkSync(top, join(folder, 'up'));
  symlinkSync(join(folder, 'shop.task.json'), join(folder, 'renamed.json'));
  symlinkSync(join(folder, 'shop.html'), join(folder, 'link-in.html'));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

describe("what is served of a task's folder", () => {
  it.each(SERVED)('%s is', async (path) => {
    expect(await files.page(`/${encodeURI(path)}`)).toMatchObject({ body: Buffer.from(path) });
  });

  it('a link within the folder is', async () => {
    expect(await files.page('/link-in.html')).toMatchObject({ type: 'text/html; charset=utf-8' });
  });

  it.each([
    ...KEPT.map((path) => `/${path}`),
    '/%73hop.task.json',
    '/notes.txt',
    '/secret.py',
    '/',
    '/pages/',
    '/pages',
    '/missing.html',
    '/link-out.html',
    '/up/outside.html',
    '/renamed.json',
    '/../outside.html',
    '/%2e%2e/outside.html',
    '/pages/..%2f..%2foutside.html',
    '/..%5coutside.html',
    '/shop.html%00.png',
    '/shop.task.json.',
    '/shop.html:stream',
    '/%zz.html',
  ])('%s is not, with a reason', async (path) => {
    const answer = await files.page(path);
    expect(answer).toHaveProperty('refusal');
    expect(answer).not.toHaveProperty('body');
  });

  it('transferred files follow the same rules', async () => {
    const handed = new PageFiles({ contents: { 'a.html': Buffer.from('A'), 'a.task.json': Buffer.from('{}') } });
    expect(await handed.page('/a.html')).toMatchObject({ body: Buffer.from('A') });
    expect(await handed.page('/a.task.json')).toHaveProperty('refusal');
    expect(await handed.page('/constructor')).toHaveProperty('refusal');
    expect(await handed.page('/toString.html')).toHaveProperty('refusal');
  });

  it('an agent can upload any other file of the folder, and nothing else', async () => {
    expect(await files.upload('notes.txt')).toMatchObject({ name: 'notes.txt' });
    for (const path of [
      ...KEPT,
      '/etc/passwd',
      '../outside.html',
      'link-out.html',
      'up/outside.html',
      'renamed.json',
    ]) {
      expect(await files.upload(path), path).toHaveProperty('refusal');
    }
  });
});

describe('an address', () => {
  it.each([
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['HTTP://Example.com', 'http://example.com/'],
    ['about:blank', 'about:blank'],
    ['example.com/path', 'http://example.com/path'],
    ['localhost:3000/x', 'http://localhost:3000/x'],
    ['shop.html', 'http://task.localhost/shop.html'],
    ['./shop.html?x=1#y', 'http://task.localhost/shop.html?x=1#y'],
    ['pages/in ner.html', 'http://task.localhost/pages/in%20ner.html'],
    ['/shop.html', 'http://task.localhost/shop.html'],
  ])('%s opens %s', async (text, url) => {
    expect(await resolveAddress(text, files)).toEqual({ url });
  });

  it.each([
    'file:///etc/passwd',
    'FILE:/etc/passwd',
    ' file:///etc/passwd',
    'chrome://version',
    'data:text/html,x',
    'javascript:alert(1)',
    'view-source:http://example.com',
    'about:config',
    'blob:http://x/y',
    'ftp://example.com',
    'devtools://devtools/x',
    'http://',
    '',
  ])('%s is refused', async (text) => {
    expect(await resolveAddress(text, files)).toMatchObject({ code: 'navigation_refused' });
  });

  it.each(['missing.html', '../outside.html', 'shop.task.json', 'pages'])(
    '%s is not a page next to the task',
    async (text) => {
      expect(await resolveAddress(text, files)).toMatchObject({ code: 'page_file_missing' });
    },
  );

  it('is checked after any navigation of the page', () => {
    for (const url of ['http://a/', 'https://a/', 'about:blank', 'about:blank#x', 'chrome-error://chromewebdata/']) {
      expect(isAllowed(url), url).toBe(true);
    }
    for (const url of [
      'file:///x',
      'data:text/html,x',
      'chrome://version',
      'view-source:http://a',
      'about:blankfile',
    ]) {
      expect(isAllowed(url), url).toBe(false);
    }
  });
});
