import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import { realPage, startAddress, startPage } from '../../../src/editor/open-page/real-page.ts';

describe('a page of a run for an external browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'taskwright-page-'));
  const file = join(folder, 'a.task.json');
  const shop = join(folder, 'my shop.html');
  beforeAll(() => {
    writeFileSync(shop, '<h1>Shop</h1>');
    writeFileSync(file, '{}');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const begins = (args: string[], start_url?: string) =>
    startPage({
      file,
      initial_state: start_url === undefined ? {} : { start_url },
      setup: args.map((arg) => ({
        function: 'goto',
        args: [arg],
        range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
      })),
    });

  it('is a site by its address, and a page of the task by its file', () => {
    expect(realPage('https://example.com/a?b#c', { file })).toEqual({ url: 'https://example.com/a?b#c' });
    expect(realPage('http://localhost:3000/', { file })).toEqual({ url: 'http://localhost:3000/' });
    expect(realPage('http://task.localhost/my%20shop.html?x#y', { file })).toEqual({ file: shop });
  });

  it('is available only if the task names one', () => {
    const setup = [{ function: 'goto', args: ['a.html'], range: EMPTY_RANGE }];
    expect(startAddress({ initial_state: {}, setup })).toBe('a.html');
    expect(startAddress({ initial_state: { start_url: 'b.html' }, setup: [] })).toBe('b.html');
    expect(startAddress({ initial_state: { start_url: ' ' }, setup: [] })).toBeNull();
    expect(startAddress({ initial_state: {}, setup: [] })).toBeNull();
  });

  it('explains why there is none', () => {
    expect(realPage(null, { file })).toEqual({ reason: 'There is no page to open yet.' });
    expect(realPage('about:blank', { file })).toHaveProperty('reason');
    expect(realPage('http://task.localhost/made-up.html', { file })).toEqual({
      reason: expect.stringMatching(/file made-up\.html does not exist/),
    });
    expect(realPage('http://miniwob.localhost/click.html', { file })).toEqual({
      reason: expect.stringMatching(/miniwob\.localhost/),
    });
    expect(realPage('file:///etc/passwd', { file })).toHaveProperty('reason');
    expect(realPage('javascript:alert(1)', { file })).toHaveProperty('reason');
  });

  it('never exposes withheld files', () => {
    expect(realPage('http://task.localhost/a.task.json', { file })).toHaveProperty('reason');
    expect(realPage('http://task.localhost/..%2fx.html', { file })).toHaveProperty('reason');
  });

  it('is the start page before any run', async () => {
    expect(await begins(['my shop.html#top'])).toEqual({ file: shop });
    expect(await begins(['https://example.com'])).toEqual({ url: 'https://example.com/' });
    expect(await begins(['example.com/shop'])).toEqual({ url: 'http://example.com/shop' });
    expect(await begins(['localhost:8080/x'])).toEqual({ url: 'http://localhost:8080/x' });
    expect(await begins([], './my shop.html')).toEqual({ file: shop });
    expect(await begins(['missing.html'])).toHaveProperty('reason');
    expect(await begins([])).toEqual({ reason: expect.stringMatching(/has no start page/) });
  });
});
