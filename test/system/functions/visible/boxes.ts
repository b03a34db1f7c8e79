import fc from 'fast-check';
import { type Around, boxed, declared, one, styles } from './draft.ts';

const OVERFLOW = ['visible', 'hidden', 'clip', 'auto', 'scroll'];

export const clipping = boxed(
  styles(
    fc.oneof(
      declared('overflow', ...OVERFLOW),
      fc.tuple(one(...OVERFLOW), one(...OVERFLOW)).map(([x, y]) => `overflow-x:${x};overflow-y:${y}`),
    ),
    fc.oneof(fc.constant(''), declared('height', '0', '1px', '20px', '40px', '100px')),
    fc.oneof(fc.constant(''), declared('width', '0', '1px', '30px', '90px', '250px')),
    one(
      '',
      '',
      'position:relative',
      'padding:6px',
      'border:4px solid #aaa',
      'white-space:nowrap',
      'display:inline-block',
    ),
    one('', '', '', 'overflow-clip-margin:40px', 'margin-top:-40px', 'display:flex', 'display:grid'),
  ),
);

export const scrolling = fc
  .tuple(
    one(
      'display:flex;flex-direction:column',
      'display:flex;flex-direction:column-reverse',
      'display:flex;flex-direction:row-reverse',
      'display:flex;flex-direction:row',
      'writing-mode:vertical-rl',
      'writing-mode:vertical-lr',
      'writing-mode:sideways-rl',
      'writing-mode:sideways-lr',
      'direction:rtl;white-space:nowrap',
      'display:flex;flex-wrap:wrap-reverse',
      'display:flex;justify-content:flex-end',
      'display:flex;justify-content:center',
      'display:grid;align-content:end',
      'display:block',
    ),
    one('auto', 'auto', 'scroll', 'hidden', 'clip'),
    one('0 0', '0 0', '9999 9999', '0 60', '60 0', '-60 -60', '-9999 -9999'),
    one(30, 60, 110),
    one(60, 110, 200),
    one(
      '',
      '<div style="width:300px;height:300px;flex:none"></div>',
      '<div style="width:50px;height:500px;flex:none"></div>',
      '<div style="width:600px;height:20px;flex:none"></div>',
    ),
    fc.boolean(),
  )
  .map(
    ([style, overflow, at, height, width, spacer, first]): Around =>
      (inner) =>
      (draft) => {
        const [x, y] = at.split(' ');
        const content = first ? spacer + inner(draft) : inner(draft) + spacer;
        return `<div style="${style};overflow:${overflow};height:${height}px;width:${width}px" data-run="this.scrollTo(${x},${y})">${content}</div>`;
      },
  );

const ACROSS = ['', 'left:10px', 'left:-300px', 'left:900px', 'right:0', 'right:-200px', 'left:100%'];
const DOWN = ['', 'top:10px', 'top:-300px', 'top:900px', 'bottom:0', 'bottom:-99px', 'inset:0', 'top:50%'];
const NARROW = 'width:60px;overflow:hidden';

export const placed = fc.oneof(
  {
    weight: 4,
    arbitrary: boxed(
      styles(
        declared('position', 'fixed', 'absolute', 'absolute', 'relative'),
        one(...DOWN),
        one(...ACROSS),
        one('', '', 'margin-left:-999px', 'margin-top:-999px', NARROW),
      ),
    ),
  },
  {
    weight: 1,
    // What stands out of it would not scroll while it is stuck.
    arbitrary: boxed(
      styles(
        fc.constant('position:sticky;height:max-content;overflow:hidden'),
        one(...DOWN),
        one(...ACROSS),
        one('width:max-content', 'width:max-content', 'width:60px'),
      ),
    ),
  },
);

export const sized = boxed(
  fc.oneof(
    declared('font-size', '0', '0.3px', '30px', '8px', '200%', '1e-3px'),
    declared('text-indent', '-9999px', '-500px', '30px', '2000px'),
    declared('-webkit-text-security', 'disc', 'square', 'none'),
    declared('line-height', '0', '1px', '40px'),
    declared('margin', '-500px', '0 0 0 -999px', '-40px 0 0 0', '0 0 0 999px', '20px'),
    declared('padding', '0 0 0 999px', '600px 0 0 0', '5px'),
    declared('letter-spacing', '2px', '0'),
    declared('text-align', 'right', 'center', 'justify'),
    declared('float', 'left', 'right'),
    declared('writing-mode', 'vertical-rl', 'vertical-lr', 'sideways-lr', 'horizontal-tb'),
    declared('direction', 'rtl', 'ltr'),
    declared('contain', 'paint', 'strict', 'size', 'layout', 'content'),
    declared('will-change', 'transform', 'opacity', 'contents'),
    declared('user-select', 'none', 'all'),
    declared('width', '2000px', '100vw', 'max-content', '10px'),
    one('max-height:0;overflow:hidden', 'max-width:0;overflow:hidden;white-space:nowrap'),
    // What style sheets use to show a text to screen readers only, or a picture in its place.
    one(
      'position:absolute;width:1px;height:1px;margin:-1px;padding:0;overflow:hidden;clip:rect(0,0,0,0)',
      'position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap',
      'text-indent:100%;white-space:nowrap;overflow:hidden',
      'height:0;padding-top:30px;overflow:hidden',
      'font:0/0 a',
    ),
    one(
      'display:grid;grid-template-rows:0fr;overflow:hidden',
      'display:grid;grid-template-columns:0 100px',
      'display:grid;grid-auto-rows:0;overflow:clip',
    ),
  ),
);

const DISPLAYS = [
  'none',
  'contents',
  'inline',
  'inline-block',
  'flex',
  'inline-flex',
  'grid',
  'table',
  'table-cell',
  'table-row',
  'list-item',
  'flow-root',
  'inline-table',
  'ruby',
  'table-caption',
  'table-column',
];

export const displayed = boxed(
  styles(
    declared('display', ...DISPLAYS),
    one(
      '',
      '',
      '',
      'overflow:hidden;height:0',
      'overflow:hidden;width:20px',
      'opacity:0',
      'visibility:hidden',
      'transform:scale(0)',
      'position:relative',
      'clip-path:inset(50%)',
    ),
  ),
);

export const zoomed: fc.Arbitrary<Around> = declared('zoom', '0.5', '2', '1', '0.02').map(
  (style) => (inner) => (draft) => {
    const outside = draft.isZoomed;
    draft.isZoomed = true;
    const content = inner(draft);
    draft.isZoomed = outside;
    return `<div style="${style}">${content}</div>`;
  },
);
