import fc from 'fast-check';
import { squareFont } from './square-font.ts';

/** A page with words whose colors say in a screenshot which of them are seen. */
export interface VisiblePage {
  /** The page, and the pages that it frames, by address. */
  readonly documents: Readonly<Record<string, string>>;
  /** Their elements have the attribute `data-word` with the index. */
  readonly words: readonly string[];
}

/** Colors that no mixture with white makes one of the others. */
export const COLORS: readonly (readonly [number, number, number])[] = [
  [220, 0, 0],
  [0, 150, 0],
  [0, 0, 220],
  [200, 0, 200],
  [0, 150, 150],
  [230, 120, 0],
  [110, 0, 210],
  [230, 0, 110],
  [130, 160, 0],
  [0, 110, 220],
];

export const PAGE = 'http://shop.test/';
export const OTHER_SITE = 'http://frames.test/';

const HEAD = `<style>
  @font-face { font-family: Squares; src: url(${squareFont()}) }
  * { font-family: Squares; outline: none !important }
  html { font-size: 16px; line-height: 1.25; --word: 0 }
  input, textarea, select, button, dialog, [popover] { background: transparent !important; color: #777; font-size: 16px }
  dialog::backdrop, [popover]::backdrop { background: transparent !important }
  ${COLORS.map((color, index) => `::highlight(word${index}) { color: ${css(color)} }`).join(' ')}
</style>`;

const SHADOW = '<style>* { font-family: Squares; font-size: 1em }</style>';

/** Runs what elements ask for, and colors the words of texts that hold several. */
const SCRIPT = `<script>
  for (const one of document.querySelectorAll('[data-run]')) new Function(one.dataset.run).call(one);
  for (const one of document.querySelectorAll('[data-words]')) {
    let from = 0;
    for (const index of one.dataset.words.split(' ')) {
      const range = new Range();
      range.setStart(one.firstChild, from);
      range.setEnd(one.firstChild, from += 4);
      from += 1;
      CSS.highlights.set('word' + index, new Highlight(range));
    }
  }
</script>`;

function css(color: readonly number[]): string {
  return `rgb(${color.join()})`;
}

/** Writes a page, and gives its words texts and colors while there are any left. */
class Draft {
  readonly words: string[] = [];
  readonly documents: Record<string, string> = {};
  readonly #letters: string;
  #ids = 0;
  /** Whether the place written at is in a turned box: Chrome shows a frame even on the back of one. */
  isTurned = false;
  /** Whether the place written at is in a shadow tree, which the document's style sheets do not reach. */
  inShadow = false;

  constructor(letters: string) {
    this.#letters = letters;
  }

  id(): string {
    this.#ids += 1;
    return `id${this.#ids}`;
  }

  /** The next word; null where the page has enough of them. */
  next(): { index: number; text: string; color: string } | null {
    const index = this.words.length;
    const color = COLORS[index];
    if (color === undefined) return null;
    const text = `${this.#letters[index] ?? 'X'}${'KLMN'[index % 4]}${'PQRS'[(index >> 2) % 4]}${'VWYZ'[index % 3]}`;
    this.words.push(text);
    return { index, text, color: css(color) };
  }

  frame(html: string): string {
    const address = `${OTHER_SITE}${Object.keys(this.documents).length}`;
    this.documents[address] = html;
    return address;
  }
}

type Part = (draft: Draft) => string;
type Around = (inner: Part) => Part;

const one = fc.constantFrom;
const px = (...values: readonly number[]) => one(...values.map((value) => `${value}px`));

/** A style of some of the declarations. */
function styles(...some: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...some).map((all) => all.filter((text) => text !== '').join(';'));
}

const boxed = (style: fc.Arbitrary<string>): fc.Arbitrary<Around> =>
  style.map((text) => (inner) => (draft) => `<div style="${text}">${inner(draft)}</div>`);
const wrapped = (...pairs: readonly (readonly [before: string, after: string])[]): fc.Arbitrary<Around> =>
  one(...pairs).map(
    ([before, after]) =>
      (inner) =>
      (draft) =>
        before + inner(draft) + after,
  );
const turning = (style: fc.Arbitrary<string>): fc.Arbitrary<Around> =>
  style.map((text) => (inner) => (draft) => {
    const outside = draft.isTurned;
    draft.isTurned = true;
    const content = inner(draft);
    draft.isTurned = outside;
    return `<div style="${text}">${content}</div>`;
  });
const declared = (name: string, ...values: readonly string[]): fc.Arbitrary<string> =>
  one(...values).map((value) => `${name}:${value}`);

// ————— Words

/** What shows the next word; nothing where there is none. */
const marked =
  (html: (next: { index: number; text: string; color: string }, draft: Draft) => string): Part =>
  (draft) => {
    const next = draft.next();
    return next === null ? '' : html(next, draft);
  };

const PAINTS: readonly ((color: string) => string)[] = [
  ...Array<(color: string) => string>(12).fill((color) => `color:${color}`),
  () => 'color:transparent',
  (color) => `color:${color.replace('rgb', 'rgba').replace(')', ',0.01)')}`,
  (color) => `color:${color};-webkit-text-fill-color:transparent`,
  (color) => `color:transparent;-webkit-text-fill-color:${color}`,
  (color) => `color:transparent;background:linear-gradient(${color},${color});-webkit-background-clip:text`,
  (color) => `color:transparent;background:${color};background-clip:text`,
  (color) => `color:transparent;text-shadow:0 0 ${color}`,
  () => 'color:transparent;text-shadow:0 0 transparent',
  (color) => `color:transparent;-webkit-text-stroke:16px ${color}`,
  (color) => `color:color-mix(in srgb, ${color} 60%, transparent)`,
  (color) => `color:color-mix(in srgb, ${color} 1%, transparent)`,
  (color) => `color:${color};opacity:0`,
  (color) => `color:${color};visibility:hidden`,
  (color) => `color:${color};display:none`,
  (color) => `color:${color};font-size:0`,
  (color) => `color:${color};display:inline-block;width:20px;overflow:hidden`,
  (color) => `color:${color};text-transform:lowercase`,
  (color) => `color:${color};-webkit-text-security:disc`,
  (color) => `color:${color};text-decoration:line-through;font-weight:bold`,
];

const word = fc
  .tuple(one(...PAINTS), one('span', 'span', 'b', 'p', 'div', 'a', 'label'))
  .map(([paint, tag]) => marked((w) => `<${tag} data-word=${w.index} style="${paint(w.color)}">${w.text}</${tag}> `));

/** Several words in one text node. */
const line: fc.Arbitrary<Part> = fc.integer({ min: 2, max: 4 }).map((count) => (draft) => {
  const words = Array.from({ length: count }, () => draft.next()).filter((next) => next !== null);
  if (draft.inShadow)
    return words.map((next) => `<i data-word=${next.index} style="color:${next.color}">${next.text}</i> `).join('');
  const indexes = words.map((next) => next.index).join(' ');
  if (words.length === 0) return '';
  return `<span data-words="${indexes}" style="white-space:nowrap">${words.map((next) => next.text).join(' ')}</span> `;
});

const space = fc.tuple(one('height', 'width'), px(10, 60, 200, 500)).map(
  ([side, size]): Part =>
    () =>
      `<div style="${side}:${size};flex:none"></div>`,
);

const field = one<Part>(
  marked((w) => `<input data-word=${w.index} style="color:${w.color};width:100px" value=${w.text}>`),
  marked((w) => `<input type=search data-word=${w.index} style="color:${w.color};width:120px" value=${w.text}>`),
  marked((w) => `<input readonly disabled data-word=${w.index} style="color:${w.color};width:100px" value=${w.text}>`),
  marked((w) => `<input type=submit data-word=${w.index} style="color:${w.color}" value=${w.text}>`),
  marked((w) => `<input type=button data-word=${w.index} style="color:${w.color}" value=${w.text}>`),
  marked((w) => `<input type=hidden data-word=${w.index} value=${w.text}>`),
  marked((w) => `<input type=checkbox data-word=${w.index} value=${w.text}>`),
  marked((w) => `<input type=password data-word=${w.index} value=${w.text}>`),
  marked((w) => `<input data-word=${w.index} placeholder=${w.text}>`),
  marked((w) => `<input data-word=${w.index} style="color:${w.color};opacity:0" value=${w.text}>`),
  marked((w) => `<input data-word=${w.index} style="color:transparent" value=${w.text}>`),
  marked((w) => `<input data-word=${w.index} style="color:${w.color};visibility:hidden" value=${w.text}>`),
  marked((w) => `<input data-word=${w.index} style="color:${w.color};text-indent:-999px" value=${w.text}>`),
  marked((w) => `<input data-word=${w.index} style="color:${w.color};font-size:0" value=${w.text}>`),
  marked((w) => `<input data-word=${w.index} style="color:${w.color};width:0;padding:0;border:0" value=${w.text}>`),
  marked((w) => `<input data-word=${w.index} style="color:${w.color};-webkit-text-security:disc" value=${w.text}>`),
  marked((w) => `<textarea data-word=${w.index} style="color:${w.color}" cols=9 rows=2>${w.text}</textarea>`),
  marked((w) => `<button data-word=${w.index} style="color:${w.color}">${w.text}</button>`),
  marked((w) => `<output data-word=${w.index} style="color:${w.color}">${w.text}</output>`),
  marked((w) => `<select data-word=${w.index} style="color:${w.color}"><option>- <option selected>${w.text}</select>`),
  marked((w) => `<select><option>- <option data-word=${w.index} style="color:${w.color}">${w.text}</select>`),
  marked((w) => `<select size=3><option>- <option data-word=${w.index} style="color:${w.color}">${w.text}</select>`),
  marked(
    (w) =>
      `<select size=2 style="height:44px"><option>- <option>- <option>- <option>- <option data-word=${w.index} style="color:${w.color}">${w.text}</select>`,
  ),
  marked((w) => `<select data-word=${w.index} style="color:${w.color};opacity:0"><option>${w.text}</select>`),
  marked((w) => `<select data-word=${w.index} style="color:transparent"><option>${w.text}</select>`),
  marked(
    (w) =>
      `<select data-word=${w.index} style="color:${w.color};appearance:none;width:0;border:0;padding:0"><option>${w.text}</select>`,
  ),
  marked((w) => `<select size=2><option hidden data-word=${w.index} style="color:${w.color}">${w.text}</select>`),
  marked(
    (w) => `<select size=3><optgroup data-word=${w.index} style="color:${w.color}" label=${w.text}><option>-</select>`,
  ),
  marked((w) => `<fieldset><legend data-word=${w.index} style="color:${w.color}">${w.text}</legend></fieldset>`),
);

/** What stands in elements that show something else, or nothing. */
const unshown = one<Part>(
  ...[
    'canvas',
    'video',
    'audio',
    'progress',
    'meter',
    'datalist',
    'noscript',
    'template',
    'iframe',
    'title',
    'style',
  ].map((tag) => marked((w) => `<${tag} data-word=${w.index} style="color:${w.color}">${w.text}</${tag}>`)),
  marked((w) => `<object data-word=${w.index} style="color:${w.color}">${w.text}</object>`),
  marked(
    (w) =>
      `<object data="data:," type="image/png"><b data-word=${w.index} style="color:${w.color}">${w.text}</b></object>`,
  ),
  marked((w) => `<img data-word=${w.index} alt=${w.text}>`),
  marked((w) => `<script type=text/plain data-word=${w.index} style="color:${w.color}">${w.text}</script>`),
  marked((w) => `<math><mi data-word=${w.index} style="color:${w.color}">${w.text}</mi></math>`),
  marked((w) => `<math><annotation data-word=${w.index} style="color:${w.color}">${w.text}</annotation></math>`),
  marked((w) => `<ruby>x<rp data-word=${w.index} style="color:${w.color}">${w.text}</rp><rt>y</rt></ruby>`),
  marked((w) => `<ruby data-word=${w.index} style="color:${w.color}">${w.text}<rt style="color:#888">y</rt></ruby>`),
  marked((w) => `<ruby>xx<rt data-word=${w.index} style="color:${w.color}">${w.text}</rt></ruby>`),
  marked((w) => `<ruby>xx<rt style="visibility:hidden;color:${w.color}" data-word=${w.index}>${w.text}</rt></ruby>`),
  marked(
    (w) =>
      `<table><col style="visibility:collapse"><tr><td data-word=${w.index} style="color:${w.color}">${w.text}</td><td>-</td></tr></table>`,
  ),
  marked((w) => `<p hidden data-word=${w.index} style="color:${w.color}">${w.text}</p>`),
  marked((w) => `<p hidden=until-found data-word=${w.index} style="color:${w.color}">${w.text}</p>`),
);

// ————— Boxes

const OVERFLOW = ['visible', 'hidden', 'clip', 'auto', 'scroll'];

const clipping = boxed(
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
    one(
      '',
      '',
      '',
      'overflow-clip-margin:40px',
      'margin-top:-40px',
      'text-overflow:ellipsis',
      'display:flex',
      'display:grid',
    ),
  ),
);

const scrolling = fc
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
      'column-width:120px',
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

/** What is in it is in the flow: how large the box is once it is laid out would otherwise be unknown before. */
const skipped = fc
  .tuple(
    fc.array(fc.oneof(word, line, space), { minLength: 1, maxLength: 3 }),
    declared('content-visibility', 'auto', 'auto', 'hidden', 'visible'),
    one('', 'contain-intrinsic-size:100px 50px', 'contain-intrinsic-size:auto 300px', 'height:30px', 'width:50px'),
    one(0, 100, 600, 2000),
  )
  .map(
    ([content, style, size, above]): Part =>
      (draft) =>
        `<div style="height:${above}px"></div><div style="${style};${size}">${content.map((part) => part(draft)).join('')}</div>`,
  );

const turned = turning(
  styles(
    fc.oneof(
      declared(
        'transform',
        ...[
          'translate(-9999px)',
          'translateY(-200px)',
          'translate(30px, 20px)',
          'scale(0)',
          'scale(0.5)',
          'scale(0.01)',
          'scale(2)',
        ],
        ...[
          'scaleX(0)',
          'scaleY(0)',
          'scaleY(0.02)',
          'scaleX(-1)',
          'rotate(15deg)',
          'rotate(90deg)',
          'rotate(180deg)',
          'rotateX(90deg)',
        ],
        ...[
          'rotateY(90deg)',
          'rotateY(180deg)',
          'rotateX(180deg)',
          'rotateX(45deg)',
          'rotateY(360deg)',
          'skewX(30deg)',
        ],
        ...[
          'translateZ(100px)',
          'translateZ(-300px)',
          'translateZ(600px)',
          'perspective(300px) rotateY(50deg)',
          'perspective(300px) translateZ(400px)',
        ],
        ...[
          'matrix(1, 0, 0, 1, 20, 10)',
          'matrix(0.5, 0, 0, 0.5, 0, 0)',
          'matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1)',
          'rotate3d(1, 1, 0, 180deg)',
        ],
      ),
      declared('translate', '-9999px', '0 -300px', '20px 10px', '0 0 600px'),
      declared('rotate', '90deg', 'y 180deg', 'x 90deg', '1 1 0 180deg', '180deg'),
      declared('scale', '0', '0.5', '1 0', '-1 1', '0.01'),
    ),
    one('', '', 'transform-origin:0 0', 'transform-origin:100% 100%', 'transform-origin:50% 50% 50px'),
    one('', 'width:fit-content', 'height:20px;width:70px', 'backface-visibility:hidden'),
    one('', '', 'transform-style:preserve-3d', 'overflow:hidden'),
  ),
);

const deep = turning(
  styles(
    one('', 'perspective:300px', 'perspective:500px;perspective-origin:0 0', 'perspective:100px'),
    one('', 'transform-style:preserve-3d', 'transform-style:preserve-3d'),
    one('', 'transform:rotateY(180deg)', 'transform:rotateX(30deg)', 'rotate:y 180deg', 'transform:rotateY(120deg)'),
    one(
      '',
      'opacity:0.6',
      'overflow:hidden',
      'filter:opacity(0.6)',
      'isolation:isolate',
      'contain:paint',
      'will-change:transform',
    ),
    one('', 'backface-visibility:hidden', 'backface-visibility:hidden'),
    one('', 'width:80px;height:40px'),
  ),
);

const cut = fc.oneof(
  boxed(
    styles(
      declared(
        'clip-path',
        ...[
          'inset(0)',
          'inset(50%)',
          'inset(0 0 100% 0)',
          'inset(0 0 0 80%)',
          'inset(-20px)',
          'inset(0 round 4px)',
          'inset(30px 0 0 0)',
        ],
        ...[
          'circle(0)',
          'circle(100%)',
          'circle(2px at 0 0)',
          'circle(200px)',
          'circle(closest-side at 100% 0)',
          'ellipse(0 50%)',
          'ellipse(80% 80%)',
        ],
        ...[
          'polygon(0 0, 0 0, 0 0)',
          'polygon(0 0, 100% 0, 100% 100%, 0 100%)',
          'polygon(0 0, 4px 0, 4px 4px)',
          'polygon(-100% -100%, 300% -100%, 300% 300%, -100% 300%)',
        ],
        ...[
          "path('M 0 0 H 300 V 200 H 0 Z')",
          "path('M 0 0 Z')",
          "path('M 500 500 h 10 v 10 Z')",
          'rect(0 100% 100% 0)',
          'rect(0 0 0 0)',
          'rect(auto auto auto auto)',
        ],
        ...[
          'xywh(0 0 100% 100%)',
          'xywh(0 0 0 0)',
          'none',
          'border-box',
          'inset(0) content-box',
          'inset(100% 0 0 0) margin-box',
          'url(#none)',
        ],
      ),
      one('', 'width:fit-content', 'padding:10px', 'position:relative', 'height:0'),
    ),
  ),
  boxed(
    styles(
      declared(
        'clip',
        'rect(0 0 0 0)',
        'rect(0, 300px, 200px, 0)',
        'rect(auto, auto, auto, auto)',
        'rect(1px, 1px, 1px, 1px)',
        'rect(0 4px 4px 0)',
        'rect(-99px 999px 999px -99px)',
      ),
      declared('position', 'absolute', 'fixed', 'static', 'relative'),
    ),
  ),
  fc
    .tuple(
      one(
        '<rect width=400 height=300 />',
        '<rect width=0 height=50 />',
        '',
        '<circle r=400 />',
        '<circle cx=-50 cy=-50 r=10 />',
        '<path d="M0 0H400V300H0Z"/>',
        '<rect width=1 height=1 />',
      ),
      one('', 'clipPathUnits=objectBoundingBox'),
    )
    .map(
      ([shape, units]): Around =>
        (inner) =>
        (draft) => {
          const id = draft.id();
          return `<svg width=0 height=0 style="position:absolute"><clipPath id=${id} ${units}>${shape}</clipPath></svg><div style="clip-path:url(#${id})">${inner(draft)}</div>`;
        },
    ),
);

const faded = fc.oneof(
  boxed(declared('opacity', '0', '0.01', '0.5', '1', '0%')),
  boxed(
    declared(
      'filter',
      'opacity(0)',
      'opacity(50%)',
      'opacity(1)',
      'blur(0)',
      'contrast(1)',
      'opacity(0.01)',
      'drop-shadow(0 0 0 transparent)',
      'url(#none)',
      'brightness(1) opacity(0)',
    ),
  ),
  boxed(
    styles(
      declared(
        'mask',
        ...[
          'linear-gradient(transparent, transparent)',
          'linear-gradient(#000, #000)',
          'none',
          'linear-gradient(rgb(0 0 0 / 50%), #000)',
        ],
        ...[
          'linear-gradient(#000, #000) 0 0 / 0 0 no-repeat',
          'linear-gradient(#000, #000) -999px 0 / 10px 10px no-repeat',
          'linear-gradient(#000, #000) 0 0 / 100% 100%',
        ],
        ...[
          'radial-gradient(#000, #000)',
          'linear-gradient(#000, #000) luminance',
          'linear-gradient(#fff, #fff) luminance',
        ],
      ),
      one('', 'width:fit-content'),
    ),
  ),
  one('#000', '#fff', '#fff').map(
    (fill): Around =>
      (inner) =>
      (draft) => {
        const id = draft.id();
        return `<svg width=0 height=0 style="position:absolute"><mask id=${id} x=0 y=0 width=1 height=1><rect width=400 height=4000 fill="${fill}"/></mask></svg><div style="mask:url(#${id})">${inner(draft)}</div>`;
      },
  ),
  boxed(declared('mix-blend-mode', 'multiply', 'darken', 'normal')),
  boxed(declared('visibility', 'hidden', 'hidden', 'visible', 'visible', 'collapse')),
);

const placed = boxed(
  styles(
    declared('position', 'fixed', 'absolute', 'absolute', 'sticky', 'relative'),
    one('', 'top:10px', 'top:-300px', 'top:900px', 'bottom:0', 'bottom:-99px', 'inset:0', 'top:50%'),
    one('', 'left:10px', 'left:-300px', 'left:900px', 'right:0', 'right:-200px', 'left:100%'),
    one('', '', 'margin-left:-999px', 'margin-top:-999px', 'width:60px;overflow:hidden'),
  ),
);

const sized = boxed(
  fc.oneof(
    declared('zoom', '0.5', '2', '1', '0.02'),
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
    declared('columns', '2', '3 40px'),
    declared('contain', 'paint', 'strict', 'size', 'layout', 'content'),
    declared('will-change', 'transform', 'opacity', 'contents'),
    declared('user-select', 'none', 'all'),
    declared('width', '2000px', '100vw', 'max-content', '10px'),
    one(
      'max-height:0;overflow:hidden',
      'max-width:0;overflow:hidden;white-space:nowrap',
      'height:60px;columns:2;overflow:hidden;column-fill:auto',
      'height:40px;columns:100px;overflow:auto',
    ),
    one(
      'display:grid;grid-template-rows:0fr;overflow:hidden',
      'display:grid;grid-template-columns:0 100px',
      'display:grid;grid-auto-rows:0;overflow:clip',
    ),
    one(1, 2, 3).map(
      (count) =>
        `display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:${count};overflow:hidden;width:150px`,
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

const displayed = boxed(
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

const held = fc.oneof(
  wrapped(
    ['<details><summary>-</summary>', '</details>'],
    ['<details open><summary>-</summary>', '</details>'],
    ['<details><summary>', '</summary>-</details>'],
    ['<details open>', '<summary>-</summary></details>'],
    ['<details>', '</details>'],
    ['<details style="display:contents"><summary>-</summary>', '</details>'],
    ['<details><summary>-</summary><details open>', '</details></details>'],
    ['<dialog>', '</dialog>'],
    ['<dialog open style="position:static">', '</dialog>'],
    ['<dialog open>', '</dialog>'],
    ['<dialog data-run="this.showModal()">', '</dialog>'],
    ['<dialog style="display:block">', '</dialog>'],
    ['<div popover>', '</div>'],
    ['<div popover data-run="this.showPopover()">', '</div>'],
    ['<div popover=manual style="inset:auto;top:-500px" data-run="this.showPopover()">', '</div>'],
    ['<div inert>', '</div>'],
    ['<div aria-hidden=true>', '</div>'],
    ['<fieldset style="border:0;padding:0;min-width:0"><legend>-</legend>', '</fieldset>'],
    ['<fieldset style="overflow:hidden;height:10px">', '</fieldset>'],
    ['<button style="overflow:hidden;width:40px">', '</button>'],
    ['<button>', '</button>'],
    ['<label>', '</label>'],
    ['<ul><li>', '</li></ul>'],
    ['<pre>', '</pre>'],
    ['<center>', '</center>'],
    ['<body>', ''],
    ['<map name=m>', '</map>'],
    ['<nobr>', '</nobr>'],
  ),
  wrapped(
    ['<table><tr><td>', '</td><td>-</td></tr></table>'],
    ['<table><tr style="visibility:collapse"><td>', '</td></tr><tr><td>-</td></tr></table>'],
    ['<table><tbody style="visibility:collapse"><tr><td>', '</td></tr></tbody></table>'],
    ['<table><caption>', '</caption><tr><td>-</td></tr></table>'],
    ['<table style="table-layout:fixed;width:60px"><tr><td style="overflow:hidden">', '</td></tr></table>'],
    ['<table style="display:block;overflow:auto;width:60px"><tr><td>', '</td></tr></table>'],
    ['<table style="overflow:hidden;height:10px"><tr><td>', '</td></tr></table>'],
    ['<table><tr style="overflow:hidden;height:0"><td>', '</td></tr></table>'],
    ['<table style="border-collapse:collapse"><tr><td style="display:none">', '</td><td>-</td></tr></table>'],
    ['<table style="empty-cells:hide"><tr style="opacity:0"><td>', '</td></tr></table>'],
    ['<table><tr style="transform:translateX(-999px)"><td>', '</td></tr></table>'],
    ['<table><tr style="position:relative;clip-path:inset(50%)"><td>', '</td></tr></table>'],
  ),
  fc.tuple(one('open', 'open', 'closed-slot', 'named', 'style', 'nested'), fc.boolean()).map(
    ([kind, keep]): Around =>
      (inner) =>
      (draft) => {
        const outside = draft.inShadow;
        const root = (content: string) => `<template shadowrootmode=open>${SHADOW}${content}</template>`;
        const shadow = (part: Part): string => {
          draft.inShadow = true;
          const text = part(draft);
          draft.inShadow = outside;
          return text;
        };
        switch (kind) {
          case 'open':
            return `<div>${root(shadow(inner))}${keep ? word1(draft) : ''}</div>`;
          case 'closed-slot':
            return `<div>${root('<div style="display:none"><slot></slot></div>-')}${inner(draft)}</div>`;
          case 'named':
            return `<div>${root('<slot name=a></slot>')}<div ${keep ? 'slot=a' : 'slot=b'}>${inner(draft)}</div></div>`;
          case 'style':
            return `<div>${root(`<style>::slotted(*) { ${keep ? 'visibility:hidden' : 'font-weight:bold'} }</style><slot></slot>`)}<div>${inner(draft)}</div></div>`;
          default:
            return `<div>${root(`<div>${root('<p style="overflow:hidden;height:30px"><slot></slot></p>')}<slot></slot></div>`)}${inner(draft)}</div>`;
        }
      },
  ),
);

function word1(draft: Draft): string {
  const next = draft.next();
  return next === null ? '' : `<b data-word=${next.index} style="color:${next.color}">${next.text}</b>`;
}

const framed = fc
  .tuple(
    one('srcdoc', 'srcdoc', 'srcdoc', 'src', 'object'),
    one('', '', 'height=40', 'height=0', 'width=50', 'width=0 height=0', 'height=1', 'height=120 width=250'),
    one('', '', '', 'scrolling=no', 'frameborder=0', 'hidden'),
    one(
      '',
      '',
      '',
      'padding:10px',
      'transform:scale(0.5)',
      'opacity:0',
      'visibility:hidden',
      'display:none',
      'clip-path:inset(50%)',
      'position:absolute;left:-999px',
      'border:0;margin-left:-30px',
      'transform:rotateY(180deg)',
      'backface-visibility:hidden;transform:rotateY(180deg)',
      'zoom:2',
      'display:block;filter:opacity(0)',
      'color-scheme:normal',
      'transform:rotate(20deg)',
      'transform:scale(0.02)',
    ),
    one(
      '',
      '',
      '',
      '<body style="overflow:hidden">',
      '<div style="height:400px"></div>',
      '<html style="overflow:hidden"><body><div style="height:400px"></div>',
      '<div style="width:900px;height:5px"></div>',
      '<html dir=rtl><div style="width:900px;height:5px"></div>',
      '<body style="visibility:hidden">',
    ),
  )
  .map(
    ([kind, size, attributes, style, before]): Around =>
      (inner) =>
      (draft) => {
        if (draft.isTurned) return inner(draft);
        const outside = draft.inShadow;
        draft.inShadow = false;
        const html = `<!doctype html>${HEAD}${before}${inner(draft)}${SCRIPT}`;
        draft.inShadow = outside;
        if (kind === 'object')
          return `<object type=text/html ${size} style="${style}" data="${PAGE}framed/${own(draft, html)}"></object>`;
        if (kind === 'src')
          return `<iframe ${size} ${attributes} style="${style}" src="${draft.frame(html)}"></iframe>`;
        return `<iframe ${size} ${attributes} style="${style}" srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
      },
  );

/** The name of a document of the page's own site. */
function own(draft: Draft, html: string): string {
  const name = String(Object.keys(draft.documents).length);
  draft.documents[`${PAGE}framed/${name}`] = html;
  return name;
}

// ————— Drawings

const SVG_PAINTS: readonly ((color: string) => string)[] = [
  ...Array<(color: string) => string>(8).fill((color) => `fill:${color}`),
  () => 'fill:none',
  () => 'fill:transparent',
  (color) => `fill:${color};fill-opacity:0`,
  (color) => `fill:none;stroke:${color};stroke-width:12px`,
  (color) => `fill:none;stroke:${color};stroke-width:0`,
  (color) => `fill:none;stroke:${color};stroke-width:12px;stroke-opacity:0`,
  (color) => `fill:currentColor;color:${color}`,
  (color) => `fill:${color};opacity:0`,
  (color) => `fill:${color};visibility:hidden`,
  (color) => `fill:${color};display:none`,
  (color) => `fill:${color};font-size:0`,
  () => 'fill:url(#none)',
  (color) => `fill:url(#none) ${color}`,
];

const drawnWord = fc
  .tuple(
    one(...SVG_PAINTS),
    one(5, 5, 20, 90, -200, 500),
    one(20, 20, 40, 90, -50, 600),
    one('text', 'text', 'tspan', 'textPath', 'gradient', 'dy'),
  )
  .map(([paint, x, y, kind]) =>
    marked((w, draft) => {
      const style = `style="${paint(w.color)}"`;
      const id = draft.id();
      switch (kind) {
        case 'tspan':
          return `<text x=${x} y=${y}>-<tspan data-word=${w.index} ${style}>${w.text}</tspan></text>`;
        case 'textPath':
          return `<path id=${id} fill=none d="M${x} ${y} h 100"/><text><textPath href="#${id}" data-word=${w.index} ${style}>${w.text}</textPath></text>`;
        case 'gradient':
          return `<linearGradient id=${id}><stop stop-color="${w.color}" ${x === 20 ? 'stop-opacity=0' : ''}></stop></linearGradient><text x=${x} y=${y} data-word=${w.index} style="fill:url(#${id})">${w.text}</text>`;
        case 'dy':
          return `<text x=${x} y=${y}><tspan dy=${x} data-word=${w.index} ${style}>${w.text}</tspan></text>`;
        default:
          return `<text x=${x} y=${y} data-word=${w.index} ${style}>${w.text}</text>`;
      }
    }),
  );

const drawnAround = fc.oneof(
  one(
    ...[
      'transform="translate(20 10)"',
      'transform="scale(0.5)"',
      'transform="scale(0)"',
      'transform="rotate(90)"',
      'transform="translate(-500)"',
      'opacity=0',
      'opacity=0.5',
      'display=none',
    ],
    ...[
      'visibility=hidden',
      'visibility=visible',
      'style="transform:scale(2)"',
      'style="filter:opacity(0)"',
      'style="clip-path:inset(50%)"',
      'fill=none',
      'style="content-visibility:hidden"',
      'clip-path="url(#none)"',
    ],
    ...[
      'font-size=0',
      'style="transform:translate(300px)"',
      'style="transform:rotateY(180deg);backface-visibility:hidden"',
    ],
  ).map(
    (attribute): Around =>
      (inner) =>
      (draft) =>
        `<g ${attribute}>${inner(draft)}</g>`,
  ),
  wrapped(
    ['<a href="#x">', '</a>'],
    ['<switch>', '<g></g></switch>'],
    ['<switch><g></g>', '</switch>'],
    ['<defs>', '</defs>'],
    ['<symbol>', '</symbol>'],
    ['<pattern id=p1 width=1 height=1>', '</pattern>'],
    ['<marker>', '</marker>'],
    ['<mask>', '</mask>'],
    ['<clipPath>', '</clipPath>'],
    ['<svg width=60 height=30>', '</svg>'],
    ['<svg width=60 height=30 overflow=visible>', '</svg>'],
    ['<svg x=-300 width=100 height=60>', '</svg>'],
    ['<svg viewBox="0 0 50 50" width=100 height=100>', '</svg>'],
    ['<svg width=0 height=30>', '</svg>'],
  ),
  fc
    .tuple(
      one('<rect width=300 height=200 />', '<rect width=0 height=9 />', '', '<circle r=4 />'),
      one('clip-path', 'mask'),
    )
    .map(
      ([shape, name]): Around =>
        (inner) =>
        (draft) => {
          const id = draft.id();
          const tag = name === 'mask' ? 'mask' : 'clipPath';
          return `<${tag} id=${id} ${name === 'mask' ? 'maskUnits=userSpaceOnUse x=-9 y=-9 width=900 height=900' : ''}>${shape.replace(' ', ' fill="#fff" ')}</${tag}><g ${name}="url(#${id})">${inner(draft)}</g>`;
        },
    ),
);

const used = fc
  .tuple(
    drawnWord,
    one('defs', 'defs', 'symbol', 'symbol viewBox="0 0 100 50"', 'g', 'g display=none', 'symbol overflow=visible'),
    one(
      'x=0 y=10',
      'x=400',
      'width=60 height=40',
      'y=-90',
      'transform="scale(0.5)"',
      'visibility=hidden',
      'opacity=0',
      'display=none',
    ),
    one('href', 'xlink:href'),
  )
  .map(
    ([text, around, where, name]): Part =>
      (draft) => {
        const id = draft.id();
        const before = draft.words.length;
        const content = text(draft);
        if (draft.words.length === before) return '';
        const tag = around.split(' ')[0] ?? '';
        const definition =
          tag === 'symbol'
            ? `<${around} id=${id}>${content}</symbol>`
            : `<${around}><g id=${id}>${content}</g></${tag}>`;
        return `${definition}<use data-also=${before} ${name}="#${id}" ${where} />`;
      },
  );

const { drawing } = fc.letrec<{ drawing: Part; node: Part }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    drawnWord,
    used,
    fc.tuple(drawnAround, tie('node')).map(([around, inner]) => around(inner)),
  ),
  drawing: fc
    .tuple(
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      one(
        'width=200 height=100',
        'width=200 height=100',
        'width=60 height=30',
        'width=0 height=0',
        'viewBox="0 0 100 50" width=200 height=100',
        'viewBox="0 0 400 400" width=100',
        'viewBox="100 100 50 50" width=100 height=100',
        'width=200 height=100 preserveAspectRatio=none viewBox="0 0 100 100"',
      ),
      one(
        '',
        '',
        '',
        'overflow:visible',
        'display:none',
        'opacity:0',
        'visibility:hidden',
        'position:absolute;left:-500px',
        'transform:scale(0)',
        'padding:9px',
        'border:5px solid #bbb',
        'overflow:scroll',
        'display:block',
        'border-radius:50%',
      ),
    )
    .map(
      ([nodes, size, style]): Part =>
        (draft) =>
          `<svg xmlns:xlink="http://www.w3.org/1999/xlink" ${size} style="${style}">${nodes.map((node) => node(draft)).join('')}</svg>`,
    ),
}));

const foreign = wrapped(
  ['<svg width=200 height=100><foreignObject width=150 height=60>', '</foreignObject></svg>'],
  ['<svg width=200 height=100><foreignObject width=0 height=0>', '</foreignObject></svg>'],
  ['<svg width=200 height=100><foreignObject x=300 width=150 height=60>', '</foreignObject></svg>'],
  [
    '<svg viewBox="0 0 400 200" width=200 height=100><g opacity=0.5><foreignObject width=300 height=150>',
    '</foreignObject></g></svg>',
  ],
  ['<svg width=200 height=100><g opacity=0><foreignObject width=150 height=60>', '</foreignObject></g></svg>'],
);

// ————— Pages

const around = fc.oneof(
  { weight: 4, arbitrary: clipping },
  { weight: 4, arbitrary: scrolling },
  { weight: 3, arbitrary: turned },
  { weight: 2, arbitrary: deep },
  { weight: 3, arbitrary: cut },
  { weight: 3, arbitrary: faded },
  { weight: 3, arbitrary: placed },
  { weight: 4, arbitrary: sized },
  { weight: 3, arbitrary: displayed },
  { weight: 4, arbitrary: held },
  { weight: 3, arbitrary: framed },
  { weight: 1, arbitrary: foreign },
);

const leaf = fc.oneof(
  { weight: 9, arbitrary: word },
  { weight: 3, arbitrary: line },
  { weight: 3, arbitrary: space },
  { weight: 2, arbitrary: field },
  { weight: 1, arbitrary: unshown },
  { weight: 2, arbitrary: drawing },
);

const { nodes } = fc.letrec<{ node: Part; nodes: Part }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.tuple(around, tie('nodes')).map(([outer, inner]) => outer(inner)),
    fc.tuple(around, tie('nodes')).map(([outer, inner]) => outer(inner)),
  ),
  nodes: fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map(
    (all): Part =>
      (draft) =>
        all.map((part) => part(draft)).join(''),
  ),
}));

const PLAIN = '<!doctype html>';

const root = one(
  ...Array<string>(12).fill(PLAIN),
  '',
  '<!doctype html><html style="overflow:hidden">',
  '<!doctype html><body style="overflow:hidden">',
  '<!doctype html><body style="overflow:auto;height:100px">',
  '<!doctype html><html style="overflow:auto"><body style="overflow:hidden;height:60px">',
  '<!doctype html><html style="overflow:hidden"><body style="overflow:auto;height:100px">',
  '<!doctype html><html style="overflow-x:hidden">',
  '<!doctype html><html style="overflow:clip">',
  '<!doctype html><html dir=rtl>',
  '<!doctype html><body dir=rtl>',
  '<!doctype html><html style="writing-mode:vertical-rl">',
  '<!doctype html><body style="writing-mode:vertical-rl">',
  '<!doctype html><html style="height:100%"><body style="height:100%;margin:0;position:relative">',
  '<!doctype html><html style="zoom:0.5">',
  '<!doctype html><body style="transform:translateX(20px)">',
  '<!doctype html><body style="opacity:0.6;margin:0">',
  '<!doctype html><body style="position:fixed;width:100%">',
  '<!doctype html><body style="display:flex;flex-direction:column-reverse;height:100px">',
  '<!doctype html><body style="contain:paint;height:50px">',
);

/**
 * Pages of all that hides text, cuts it off, moves it away, and shows it again. Left out is what the browser draws one way
 * or another depending on the layers that it makes: a mask that refers to nothing.
 */
export const visiblePage: fc.Arbitrary<VisiblePage> = fc
  .tuple(
    root,
    nodes,
    fc.array(skipped, { maxLength: 2 }),
    one('', '', '', 'scrollTo(0, 9999)', 'scrollTo(9999, 0)'),
    fc.shuffledSubarray([...'ABCDEFGHIJ'], { minLength: 10 }),
  )
  .map(([start, content, late, run, letters]) => {
    const draft = new Draft(letters.join(''));
    const body = content(draft);
    // In other pages it could grow in any direction.
    const end = start === PLAIN ? late.map((part) => part(draft)).join('') : '';
    const html = `${start}${HEAD}${body}${end}${SCRIPT}<script>${run}</script>`;
    return { documents: { ...draft.documents, [PAGE]: html }, words: draft.words };
  });
