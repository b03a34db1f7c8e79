import fc from 'fast-check';
import { type Draft, marked, one, type Part, px } from './draft.ts';

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
  (color) => `color:transparent;-webkit-text-stroke:4px ${color}`,
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

export const word = fc
  .tuple(one(...PAINTS), one('span', 'span', 'b', 'p', 'div', 'a', 'label'))
  .map(([paint, tag]) => marked((w) => `<${tag} data-word=${w.index} style="${paint(w.color)}">${w.text}</${tag}> `));

/** Several words in one text node. */
export const line: fc.Arbitrary<Part> = fc.integer({ min: 2, max: 4 }).map((count) => (draft) => {
  const words = Array.from({ length: count }, () => draft.next()).filter((next) => next !== null);
  if (draft.inShadow)
    return words.map((next) => `<i data-word=${next.index} style="color:${next.color}">${next.text}</i> `).join('');
  const indexes = words.map((next) => next.index).join(' ');
  if (words.length === 0) return '';
  return `<span data-words="${indexes}" style="white-space:nowrap">${words.map((next) => next.text).join(' ')}</span> `;
});

/** The first lines of some, with one word on each, and room for the ellipsis, which would cut off a part of a word. */
export const clamped = fc.tuple(one(1, 2, 3), one(2, 3, 4)).map(
  ([shown, count]): Part =>
    (draft) => {
      const words = Array.from({ length: count }, () => plainWord(draft)).join(' ');
      return `<div style="display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:${shown};overflow:hidden;width:130px;font-size:16px;white-space:normal;text-indent:0;letter-spacing:0;writing-mode:horizontal-tb">${words}</div>`;
    },
);

export const space = fc.tuple(one('height', 'width'), px(10, 60, 200, 500)).map(
  ([side, size]): Part =>
    () =>
      `<div style="${side}:${size};flex:none"></div>`,
);

export const field = one<Part>(
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
export const unshown = one<Part>(
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
  ].map((tag) =>
    marked((w, draft) =>
      tag === 'iframe' && draft.isTurned
        ? ''
        : `<${tag} data-word=${w.index} style="color:${w.color}">${w.text}</${tag}>`,
    ),
  ),
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

/** A word that nothing of its own hides. */
export function plainWord(draft: Draft): string {
  const next = draft.next();
  return next === null ? '' : `<b data-word=${next.index} style="color:${next.color}">${next.text}</b>`;
}
