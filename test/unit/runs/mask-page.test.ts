import { describe, expect, it } from 'vitest';
import type { RecordedElement, RecordedNode, RecordedPage } from '../../../src/environments/recorded.ts';
import { UNNAMED } from '../../../src/functions/masked.ts';
import { MASKED, maskPage } from '../../../src/runs/masking/mask-page.ts';

const page: RecordedPage = {
  version: 1,
  url: 'http://task.localhost/?q=hunter2',
  title: 'Login',
  viewport: { width: 1280, height: 720, scroll_bars: false },
  cookies: [],
  history: 1,
  names: [],
  gaps: ['the style sheet http://other.example/?q=hunter2 of another site'],
  styles: {},
  document: {
    url: 'http://task.localhost/?q=hunter2',
    doctype: ['html', '', ''],
    quirks: false,
    children: [
      ['input', ['type', 'password', 'title', 'hunter2'], [], { value: 'hunter2' }],
      ['hunter2', [], ['it is hunter2', { comment: 'hunter2' }], { shadow: { children: ['hunter2'] } }],
      ['iframe', [], [], { frame: { url: '', doctype: null, quirks: true, children: ['hunter2'] } }],
    ],
    storage: { local: { pass: 'hunter2' }, session: {} },
  },
  frames: [{ url: '', doctype: null, quirks: true, children: [['p', [], ['hunter2']]] }],
};

describe('a recorded page in a masked run', () => {
  it('contains no secret, keeps its structure, and is marked as masked', () => {
    const masked = maskPage(page, (text) => text.replaceAll('hunter2', '***'));
    expect(JSON.stringify(masked).match(/hunter2/g)).toEqual(['hunter2']);
    expect(masked.document.children[1]).toEqual([
      'hunter2',
      [],
      ['it is ***', { comment: '***' }],
      { shadow: { children: ['***'] } },
    ]);
    expect(masked.gaps).toEqual(['the style sheet http://other.example/?q=*** of another site', MASKED]);
  });

  it('contains no single character that was typed into a password field', () => {
    const field = (value: string, ...attributes: string[]): RecordedNode => ['input', attributes, [], { value }];
    const children = [
      field('h', 'type', 'password'),
      field('4', 'autocomplete', 'one-time-code'),
      field('h', 'autocomplete', 'username', 'title', 'password'),
      field('', 'type', 'password'),
    ];
    const masked = maskPage({ ...page, document: { ...page.document, children } }, (text) => text);
    const values = masked.document.children.map((node) => (node as RecordedElement)[3]?.value);
    expect(values).toEqual([UNNAMED, UNNAMED, 'h', '']);
    expect(masked.gaps).toContain(MASKED);
  });

  it('is unchanged without secrets', () => {
    expect(maskPage(page, (text) => text)).toBe(page);
  });
});
