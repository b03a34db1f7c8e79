import fc from 'fast-check';
import { type Around, boxed, declared, one, styles } from './draft.ts';

export const cut = fc.oneof(
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

export const faded = fc.oneof(
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
        if (draft.isZoomed) return inner(draft);
        const id = draft.id();
        return `<svg width=0 height=0 style="position:absolute"><mask id=${id} x=0 y=0 width=1 height=1><rect width=400 height=4000 fill="${fill}"/></mask></svg><div style="mask:url(#${id});contain:paint">${inner(draft)}</div>`;
      },
  ),
  boxed(declared('mix-blend-mode', 'multiply', 'darken', 'normal')),
  boxed(declared('visibility', 'hidden', 'hidden', 'visible', 'visible', 'collapse')),
);
