import fc from 'fast-check';
import { clipping, displayed, placed, scrolling, sized, zoomed } from './boxes.ts';
import { cut, faded } from './cut.ts';
import { Draft, declared, HEAD, one, PAGE, type Part, SCRIPT, type VisiblePage } from './draft.ts';
import { drawing, foreign } from './drawings.ts';
import { framed, held } from './held.ts';
import { deep, turned } from './turned.ts';
import { clamped, field, line, space, unshown, word } from './words.ts';

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

const around = fc.oneof(
  { weight: 4, arbitrary: clipping },
  { weight: 4, arbitrary: scrolling },
  { weight: 3, arbitrary: turned },
  { weight: 2, arbitrary: deep },
  { weight: 3, arbitrary: cut },
  { weight: 3, arbitrary: faded },
  { weight: 3, arbitrary: placed },
  { weight: 4, arbitrary: sized },
  { weight: 1, arbitrary: zoomed },
  { weight: 3, arbitrary: displayed },
  { weight: 4, arbitrary: held },
  { weight: 3, arbitrary: framed },
  { weight: 1, arbitrary: foreign },
);

const leaf = fc.oneof(
  { weight: 9, arbitrary: word },
  { weight: 3, arbitrary: line },
  { weight: 1, arbitrary: clamped },
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
 * Pages of all that hides text, cuts it off, moves it away, and shows it again. Left out is
 * - what Chrome draws one way or another depending on the layers that it makes: a mask that refers to nothing, a
 *   drawing as the mask of a zoomed element or of what stands out of one, a hidden back in a turned box, and
 *   `content-visibility` in a drawing;
 * - what is on its edge, or reaches behind the viewer, in perspective;
 * - what moves while it is scrolled: a sticky box that margins take out of its scroller, and what stands out of one;
 * - what takes away a part of a word that no rectangle tells: an ellipsis, the gap beside a column, the edges of a frame that
 *   is turned by an angle, and the view box of a symbol.
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
    draft.isZoomed = start.includes('zoom');
    const body = content(draft);
    // In other pages it could grow in any direction.
    const end = start === PLAIN ? late.map((part) => part(draft)).join('') : '';
    const html = `${start}${HEAD}${body}${end}${SCRIPT}<script>${run}</script>`;
    return { documents: { ...draft.documents, [PAGE]: html }, words: draft.words };
  });
