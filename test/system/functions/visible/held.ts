import fc from 'fast-check';
import { type Around, type Draft, HEAD, one, PAGE, type Part, SCRIPT, SHADOW, wrapped } from './draft.ts';
import { plainWord } from './words.ts';

export const held = fc.oneof(
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
            return `<div>${root(shadow(inner))}${keep ? plainWord(draft) : ''}</div>`;
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

export const framed = fc
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
      'display:block;filter:opacity(0)',
      'color-scheme:normal',
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
        draft.isTurned = style.includes('backface-visibility');
        const html = `<!doctype html>${HEAD}${before}${inner(draft)}${SCRIPT}`;
        draft.inShadow = outside;
        draft.isTurned = false;
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
