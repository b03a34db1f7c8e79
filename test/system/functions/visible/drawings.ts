import fc from 'fast-check';
import { type Around, marked, one, type Part, wrapped } from './draft.ts';

const SVG_PAINTS: readonly ((color: string) => string)[] = [
  ...Array<(color: string) => string>(8).fill((color) => `fill:${color}`),
  () => 'fill:none',
  () => 'fill:transparent',
  (color) => `fill:${color};fill-opacity:0`,
  (color) => `fill:none;stroke:${color};stroke-width:4px`,
  (color) => `fill:none;stroke:${color};stroke-width:0`,
  (color) => `fill:none;stroke:${color};stroke-width:4px;stroke-opacity:0`,
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
    one('defs', 'defs', 'symbol', 'g', 'g display=none', 'symbol overflow=visible'),
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

export const { drawing } = fc.letrec<{ drawing: Part; node: Part }>((tie) => ({
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

export const foreign = wrapped(
  ['<svg width=200 height=100><foreignObject width=150 height=60>', '</foreignObject></svg>'],
  ['<svg width=200 height=100><foreignObject width=0 height=0>', '</foreignObject></svg>'],
  ['<svg width=200 height=100><foreignObject x=300 width=150 height=60>', '</foreignObject></svg>'],
  [
    '<svg viewBox="0 0 400 200" width=200 height=100><g opacity=0.5><foreignObject width=300 height=150>',
    '</foreignObject></g></svg>',
  ],
  ['<svg width=200 height=100><g opacity=0><foreignObject width=150 height=60>', '</foreignObject></g></svg>'],
);
