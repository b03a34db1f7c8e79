import { describe, expect, it } from 'vitest';
import { stage } from './harness.ts';

const on = stage();

describe('page_contains is 1 for text that a user who scrolls can read', () => {
  it.each([
    ['plain text', '<p>Order placed</p>'],
    ['text over several elements and lines', '<p>Order\n   <b>pla</b>ced</p>'],
    ['text of two blocks', '<div>Order</div><div>placed</div>'],
    ['text with soft hyphens and no-break spaces', '<p>Or&shy;der&nbsp;placed</p>'],
    ['text written in capitals by style only', '<p style="text-transform: uppercase">Order placed</p>'],
    ['text far below the window', '<div style="height: 5000px"></div><p>Order placed</p>'],
    [
      'text in a box that scrolls',
      '<div style="height: 50px; overflow: auto"><div style="height: 900px"></div>Order placed</div>',
    ],
    [
      'text of a scrolled box that is scrolled away',
      '<div style="height: 50px; overflow-y: scroll" id="box">Order placed<div style="height: 900px"></div></div><script>box.scrollTop = 500</script>',
    ],
    [
      'text above when the page is scrolled down',
      '<p>Order placed</p><div style="height: 5000px"></div><script>scrollTo(0, 3000)</script>',
    ],
    [
      'a visible child of a hidden parent',
      '<div style="visibility: hidden">x <b style="visibility: visible">Order placed</b></div>',
    ],
    ['the value of a text field', '<input value="Order placed">'],
    [
      'the value typed into an area',
      '<textarea>nothing</textarea><script>document.querySelector("textarea").value = "Order placed"</script>',
    ],
    ['the chosen option', '<select><option>Open</option><option selected>Order placed</option></select>'],
    ['an open list of options', '<select size="3"><option>Open</option><option>Order placed</option></select>'],
    ['the label of an input button', '<input type="submit" value="Order placed">'],
    [
      'text in an open shadow root',
      '<div id="host"></div><script>host.attachShadow({mode: "open"}).innerHTML = "<p>Order placed</p>"</script>',
    ],
    [
      'text put into a slot',
      '<div id="host"><span>placed</span></div><script>host.attachShadow({mode: "open"}).innerHTML = "Order <slot></slot>"</script>',
    ],
    ['text in a frame', '<iframe srcdoc="<p>Order placed</p>"></iframe>'],
    [
      'text of an absolutely placed child that no box clips',
      '<div style="overflow: hidden; height: 0"><p style="position: absolute">Order placed</p></div>',
    ],
    ['text without a box of its own', '<div style="display: contents">Order placed</div>'],
    [
      'gradient text',
      '<p style="color: transparent; background: linear-gradient(red, blue); -webkit-background-clip: text">Order placed</p>',
    ],
    [
      'gradient text with an element in it',
      '<h1 style="color: transparent; background: linear-gradient(red, blue); -webkit-background-clip: text">Order <b>placed</b></h1>',
    ],
    ['half transparent text', '<p style="opacity: 0.5">Order placed</p>'],
    ['an open details element', '<details open><summary>More</summary>Order placed</details>'],
    ['text in a drawing', '<svg><text y="20">Order placed</text></svg>'],
    [
      'text in a right-to-left page',
      '<html dir="rtl"><body><div style="width: 3000px">Order placed</div></body></html>',
    ],
    [
      'text while an open dialog stops the page from scrolling',
      '<body style="overflow: hidden"><dialog open>Order placed</dialog></body>',
    ],
    [
      'text that the browser lays out when it is scrolled to',
      '<div style="height: 3000px"></div><div style="content-visibility: auto">Order placed</div>',
    ],
    [
      'text in a box that scrolls upwards',
      '<div style="height: 50px; overflow: auto; display: flex; flex-direction: column-reverse"><div style="height: 400px; flex: none"></div><p>Order placed</p></div>',
    ],
    [
      'text in a box that scrolls to the left',
      '<div style="writing-mode: vertical-rl; width: 60px; height: 200px; overflow: auto"><div style="width: 400px"></div>Order placed</div>',
    ],
    ['the front of a card', '<div style="backface-visibility: hidden; transform: rotateY(360deg)">Order placed</div>'],
    ['an outline in a drawing', '<svg><text y="20" style="fill: none; stroke: red">Order placed</text></svg>'],
    ['text that a drawing uses', '<svg><defs><text id="t">Order placed</text></defs><use href="#t" y="20"/></svg>'],
    [
      'text whose element without a box is transparent',
      '<div style="display: contents; opacity: 0">Order placed</div>',
    ],
    ['what an object shows that has nothing else to show', '<object>Order placed</object>'],
    [
      'text in ruby, which no transform applies to',
      '<div style="display: ruby; transform: scale(0)">Order placed</div>',
    ],
    [
      'text in lines that wrap upwards',
      '<div style="height: 50px; overflow: auto; display: flex; flex-wrap: wrap-reverse"><div style="width: 100%; height: 300px; flex: none"></div><p>Order placed</p></div>',
    ],
    [
      'text within a referenced shape',
      '<svg width="0" height="0"><clipPath id="c"><rect width="400" height="300"/></clipPath></svg><div style="clip-path: url(#c)">Order placed</div>',
    ],
    [
      'text in a shape that is larger than its box',
      `<div style="clip-path: path('M0 0H400V300H0Z'); height: 0">Order placed</div>`,
    ],
    ['text in a frame that is mirrored', '<iframe style="transform: scaleX(-1)" srcdoc="Order placed"></iframe>'],
    [
      'text below the fold of a frame that scrolls',
      '<iframe height="50" srcdoc="<div style=height:900px></div>Order placed"></iframe>',
    ],
    [
      'text behind a filter that changes nothing',
      '<p style="filter: contrast(1); clip-path: inset(0)">Order placed</p>',
    ],
    [
      'an open popover in a box that is scaled to nothing',
      '<div style="transform: scale(0); opacity: 0"><div popover id="p">Order placed</div></div><script>p.showPopover()</script>',
    ],
    [
      'a modal dialog in a box that clips',
      '<div style="height: 0; overflow: hidden; transform: translate(-999px)"><dialog>Order placed</dialog></div><script>document.querySelector("dialog").showModal()</script>',
    ],
    [
      'an option of an open list that is cut off below it',
      '<div style="height: 40px; overflow: hidden"><select size="20"><option>Order placed</option></select></div>',
    ],
    [
      'the text in the middle of a high field',
      '<div style="height: 80px; overflow: hidden"><input style="height: 200px; margin-top: -60px" value="Order placed"></div>',
    ],
    [
      'the text at the start of a high field in vertical writing',
      '<div style="height: 150px; overflow: hidden"><input style="writing-mode: vertical-rl; height: 500px" value="Order placed"></div>',
    ],
    [
      'the text of a mirrored field',
      '<div style="width: 200px; overflow: hidden"><input style="width: 500px; transform: scaleX(-1); margin-left: -300px" value="Order placed"></div>',
    ],
    [
      'text that stands out of a cell without a width',
      '<table><tr><td style="padding: 0"><p style="position: absolute">Order placed</p></td></tr></table>',
    ],
    [
      'text in the margin of a clip',
      '<div style="overflow: clip; height: 1px; overflow-clip-margin: 40px">Order placed</div>',
    ],
    [
      'the text in the middle of a wide button',
      '<div style="width: 200px; overflow: auto"><input type="submit" style="width: 900px" value="Order placed"></div>',
    ],
    [
      'the text at the start of a high area',
      '<div style="height: 50px; overflow: hidden"><textarea style="height: 500px">Order placed</textarea></div>',
    ],
    [
      'text in a shape of a mirrored box',
      '<div style="transform: scaleX(-1); width: 800px"><p style="clip-path: path(\'M 0 0 H 200 V 50 H 0 Z\')">Order placed</p></div>',
    ],
    [
      'the text at the start of a field on its side',
      '<div style="height: 120px; overflow: hidden"><input style="width: 600px; rotate: 90deg; transform-origin: 0 0; margin-left: 100px" value="Order placed"></div>',
    ],
    [
      'text in the shape that clips a box without a width',
      '<svg width="0" height="0" style="position: absolute"><clipPath id="c"><rect width="400" height="300"/></clipPath></svg><div style="clip-path: url(#c); width: 0; white-space: nowrap">Order placed</div>',
    ],
    [
      'text in the middle of a round box',
      '<p style="border-radius: 50%; overflow: hidden; width: 200px; line-height: 200px; text-align: center">Order placed</p>',
    ],
    [
      'text in a box that is turned by an angle and clips',
      '<p style="transform: rotate(45deg); margin: 100px; width: 200px; overflow: hidden">Order placed</p>',
    ],
    [
      'an element that turns on its own on the hidden back of another one',
      '<div style="transform: rotateY(180deg); backface-visibility: hidden"><p style="transform: translateZ(0)">Order placed</p></div>',
    ],
    [
      'an element that turns on its own in a frame on its hidden back',
      '<iframe style="transform: rotateY(180deg); backface-visibility: hidden" srcdoc="<p style=\'transform: translateZ(0)\'>Order placed</p>"></iframe>',
    ],
    [
      'an element on a hidden back that is to be turned on its own',
      '<div style="transform: rotateY(180deg); backface-visibility: hidden"><p style="will-change: transform; rotate: y 30deg">Order placed</p></div>',
    ],
    [
      'the hidden back of an element that turns back on the hidden back of another one',
      '<div style="transform-style: preserve-3d; transform: rotateY(180deg); backface-visibility: hidden"><p style="backface-visibility: hidden; rotate: y 180deg">Order placed</p></div>',
    ],
    [
      'an element that turns in the space of one that contains paint',
      '<div style="transform-style: preserve-3d; contain: paint; transform: rotateY(180deg); backface-visibility: hidden"><div style="display: contents"><p style="transform: translate(5px)">Order placed</p></div></div>',
    ],
  ])('%s', async (_what, html) => {
    await on.show(html);
    expect(await on.evaluate('page_contains', 'Order placed')).toEqual({
      value: 1,
      reason: '“Order placed” can be read on the page',
    });
  });

  it('text in frames of other sites, and in frames within those', async () => {
    on.pages.set('http://pay.test/', '<p>Paid in full</p><iframe src="http://bank.test/"></iframe>');
    on.pages.set('http://bank.test/', '<p>Booked</p>');
    await on.show('<iframe src="http://pay.test/"></iframe>');
    expect(await on.evaluate('page_contains', ['Paid in full', 'Booked'])).toMatchObject({ value: 1 });
  });

  it('is quick on a page of twenty thousand elements', async () => {
    await on.show(
      '<body><script>document.body.innerHTML = "<div><span>row</span><b>cell</b></div>".repeat(7000) + "Order placed"</script></body>',
    );
    expect(await on.evaluate('page_contains', 'Order placed')).toMatchObject({ value: 1 });
    expect(await on.evaluate('page_contains', 'Order refused')).toMatchObject({ value: 0 });
  });
});

describe('page_contains is 0 for unreadable text, with a reason', () => {
  it.each([
    ['on the page, but hidden (display: none)', '<p style="display: none">Order placed</p>'],
    ['on the page, but hidden (display: none)', '<div hidden><p>Order <b>placed</b></p></div>'],
    ['on the page, but hidden (visibility: hidden)', '<p style="visibility: hidden">Order placed</p>'],
    ['on the page, but hidden (opacity: 0)', '<div style="opacity: 0"><p>Order placed</p></div>'],
    ['on the page, but hidden (its text is transparent)', '<p style="color: transparent">Order placed</p>'],
    ['on the page, but hidden (its text is transparent)', '<p style="color: rgb(0 0 0 / 0%)">Order placed</p>'],
    ['on the page, but hidden (its text is transparent)', '<svg><text y="20" fill="none">Order placed</text></svg>'],
    [
      'on the page, but hidden (its text is transparent)',
      '<svg><text y="20" fill="transparent">Order placed</text></svg>',
    ],
    ['on the page, but hidden (it is transparent)', '<p style="filter: opacity(0)">Order placed</p>'],
    [
      'on the page, but hidden (it is transparent)',
      '<p style="mask: linear-gradient(transparent, transparent)">Order placed</p>',
    ],
    [
      'on the page, but hidden (backface-visibility: hidden)',
      '<div style="transform-style: preserve-3d; transform: rotateY(180deg)"><p style="backface-visibility: hidden">Order placed</p></div>',
    ],
    [
      'on the page, but hidden (in a part of a drawing that is not drawn itself)',
      '<svg><defs><text y="20">Order placed</text></defs></svg>',
    ],
    [
      'on the page, but hidden (in a part of a drawing that is not drawn itself)',
      '<svg><symbol id="s"><text y="20">Order placed</text></symbol></svg>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<svg width="100" height="40"><text x="500" y="20">Order placed</text></svg>',
    ],
    [
      'on the page, but hidden (it is clipped to nothing)',
      '<p style="clip-path: polygon(0 0, 0 0, 0 0)">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped to nothing)',
      '<svg><clipPath id="c"/></svg><p style="clip-path: url(#c)">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<iframe height="50" scrolling="no" srcdoc="<div style=height:900px></div>Order placed"></iframe>',
    ],
    ['on the page, but hidden (it has no size)', '<p style="transform: scale(0.01)">Order placed</p>'],
    ['on the page, but hidden (its characters are masked)', '<p style="-webkit-text-security: disc">Order placed</p>'],
    ['on the page, but hidden (it has no size)', '<p style="font-size: 0">Order placed</p>'],
    ['on the page, but hidden (it has no size)', '<p style="transform: scale(0)">Order placed</p>'],
    [
      'on the page, but hidden (it is clipped to nothing)',
      '<p style="position: absolute; clip: rect(0 0 0 0)">Order placed</p>',
    ],
    ['on the page, but hidden (it is clipped to nothing)', '<p style="clip-path: inset(50%)">Order placed</p>'],
    ['on the page, but hidden (it is clipped to nothing)', '<p style="clip-path: circle(0)">Order placed</p>'],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="height: 0; overflow: hidden">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="position: absolute; width: 1px; height: 1px; overflow: hidden">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="position: absolute; left: -9999px">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="text-indent: -9999px">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="position: fixed; top: 9999px">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<body style="overflow: hidden"><div style="height: 5000px"></div>Order placed</body>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="width: 100px; overflow: hidden; white-space: nowrap"><span style="margin-left: 400px">Order placed</span></div>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="height: 0; overflow: hidden"><div style="height: 50px; overflow: auto">Order placed</div></div>',
    ],
    [
      'on the page, but hidden (its text is transparent)',
      '<select style="color: transparent"><option>Order placed</option></select>',
    ],
    [
      'on the page, but hidden (its text is transparent)',
      '<svg><linearGradient id="g"><stop stop-color="red" stop-opacity="0"/></linearGradient><text y="20" fill="url(#g)">Order placed</text></svg>',
    ],
    [
      'on the page, but hidden (it is transparent)',
      '<p style="mask: linear-gradient(#000, #000) luminance">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is indented out of its field)',
      '<input type="submit" style="text-indent: -999px" value="Order placed">',
    ],
    [
      'on the page, but hidden (it is behind whoever looks at it)',
      '<p style="transform: perspective(300px) translateZ(400px)">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is behind whoever looks at it)',
      '<div style="perspective: 300px"><p style="translate: 0 0 400px">Order placed</p></div>',
    ],
    [
      'on the page, but hidden (visibility: collapse)',
      '<table><col style="visibility: collapse"><tr><td>Order placed</td><td>Paid</td></tr></table>',
    ],
    ['on the page, but hidden (display: none)', '<select size="2"><option hidden>Order placed</option></select>'],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<svg width="0" height="0"><clipPath id="c"><rect x="500" width="9" height="9"/></clipPath></svg><p style="clip-path: url(#c)">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<svg width="0" height="0"><mask id="m"><rect width="800" height="800" fill="#000"/></mask></svg><p style="mask: url(#m)">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="height: 40px; width: 1px; overflow: auto; white-space: nowrap">Order placed</div>',
    ],
    ['not on the page', '<iframe height="1" srcdoc="Order placed"></iframe>'],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="height: 3000px"></div><div style="content-visibility: auto; height: 30px"><div style="height: 200px"></div>Order placed</div>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="height: 20px; overflow: hidden"><div style="height: 900px"></div><div style="content-visibility: auto">Order placed</div></div>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<svg width="100" height="40"><foreignObject width="90" height="40"><p style="position: absolute; left: 900px">Order placed</p></foreignObject></svg>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<body style="contain: paint; height: 20px"><p style="margin-top: 90px">Order placed</p></body>',
    ],
    [
      'on the page, but hidden (it is clipped to nothing)',
      '<p style="mask: linear-gradient(#000, #000) 0 0 / 0 0 no-repeat">Order placed</p>',
    ],
    [
      'on the page, but hidden (in a part of a drawing that is not drawn itself)',
      '<svg width="200" height="60"><defs><text id="t" y="20" opacity="0">Order placed</text></defs><use href="#t"/></svg>',
    ],
    ['on the page, but hidden (content-visibility: hidden)', '<p style="content-visibility: hidden">Order placed</p>'],
    [
      'on the page, but hidden (inside of a closed <details>)',
      '<details><summary>More</summary>Order placed</details>',
    ],
    ['on the page, but hidden (content-visibility: hidden)', '<p style="content-visibility: hidden">Order placed</p>'],
    [
      'on the page, but hidden (display: none)',
      '<iframe style="display: none" srcdoc="Order placed"></iframe><p style="display: none">Order placed</p>',
    ],
    [
      'on the page, but hidden (backface-visibility: hidden)',
      '<div style="transform: rotateY(180deg); backface-visibility: hidden; opacity: 0.9"><p style="transform: translateZ(0)">Order placed</p></div>',
    ],
    [
      'on the page, but hidden (backface-visibility: hidden)',
      '<div style="transform: rotateY(180deg); backface-visibility: hidden"><p style="transform: translate(5px)">Order placed</p></div>',
    ],
    [
      'on the page, but hidden (display: none)',
      '<div style="display: none"><div popover id="p">Order placed</div></div><script>p.showPopover()</script>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="color: transparent; background: red; background-clip: text; width: 90px; text-indent: 300px; white-space: nowrap">Order placed</p>',
    ],
    [
      'on the page, but hidden (its text is transparent)',
      '<p style="color: transparent; background: red; background-clip: text"><b style="display: inline-block; transform: translateX(1px)">Order placed</b></p>',
    ],
    [
      'on the page, but hidden (it is clipped to nothing)',
      '<p style="clip-path: inset(80px 0 0 0); height: 0">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="transform: rotate(90deg); margin: 100px; width: 100px"><div style="overflow: hidden auto; height: 1px"><p style="margin: 0">Order placed</p></div></div>',
    ],
    [
      'on the page, but hidden (visibility: collapse)',
      '<table style="writing-mode: vertical-rl"><tr style="visibility: collapse"><td><p style="visibility: visible">Order placed</p></td></tr></table>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="overflow: hidden; height: 60px"><div style="mask: linear-gradient(#000, #000); height: 300px; width: 300px"><p style="position: absolute; top: 200px">Order placed</p></div></div>',
    ],
    [
      'on the page, but hidden (in a part of a drawing that is not drawn itself)',
      '<svg><symbol id="t"><text x="90" y="20">Order placed</text></symbol><use href="#t" width="60" height="40"/></svg>',
    ],
    [
      'on the page, but hidden (display: none)',
      '<svg><symbol id="t"><text y="20">-<tspan style="display: none">Order placed</tspan></text></symbol><use href="#t"/></svg>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="border-radius: 50%; overflow: hidden; width: 400px; height: 400px; font-size: 8px">Order placed</p>',
    ],
    ['on the page, but hidden (it has no size)', '<p style="zoom: 0.02">Order placed</p>'],
    [
      'on the page, but hidden (it has no size)',
      '<div style="zoom: 0.02"><iframe srcdoc="Order placed"></iframe></div>',
    ],
    [
      'on the page, but hidden (its field is smaller than half a character)',
      '<textarea style="width: 4px; padding: 0">Order placed</textarea>',
    ],
    [
      'on the page, but hidden (its field is smaller than half a character)',
      '<div style="display: grid; grid-template-columns: 0"><input type="submit" value="Order placed"></div>',
    ],
    [
      'on the page, but hidden (its list is clipped, or outside of what can be scrolled to)',
      '<div style="transform: skewX(30deg)"><select style="appearance: none; width: 0; border: 0; padding: 0"><option>Order placed</option></select></div>',
    ],
    [
      'on the page, but hidden (in a drawing without a size)',
      '<svg width="0" height="30" overflow="visible"><text y="20">Order placed</text></svg>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<svg width="200" height="40" style="padding: 200px"><text x="250" y="20">Order placed</text></svg>',
    ],
    [
      'on the page, but hidden (in a drawing without a size)',
      '<svg><svg width="0" height="30" overflow="visible"><text y="20">Order placed</text></svg></svg>',
    ],
    [
      'on the page, but hidden (on a path that does not exist)',
      '<svg><text><textPath href="#none">Order placed</textPath></text></svg>',
    ],
    [
      'on the page, but hidden (in a part of a drawing that is not drawn itself)',
      '<svg width="200" height="60"><defs><text id="t" y="20">Order placed</text></defs><use href="#t" visibility="hidden"/></svg>',
    ],
    [
      'on the page, but hidden (visibility: collapse)',
      '<table style="writing-mode: vertical-rl"><col style="visibility: collapse"><tr><td>Order placed</td><td>Paid</td></tr></table>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div><template shadowrootmode="open"><svg width="0" height="0"><mask id="m"><rect width="800" height="800" fill="#000"/></mask></svg><p style="mask: url(#m)">Order placed</p></template></div>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<svg><svg width="200" height="30"><text y="60">Order placed</text></svg></svg>',
    ],
    [
      'on the page, but hidden (it is clipped to nothing)',
      '<div style="mask: linear-gradient(#000, #000) -999px 0 / 10px 10px no-repeat; margin-left: 400px"><p style="position: relative; left: -300px">Order placed</p></div>',
    ],
    [
      'on the page, but hidden (it is cut off)',
      '<div style="transform: rotate(15deg); margin: 100px; width: 300px; height: 20px; overflow: hidden"><div style="height: 30px"></div>Order placed</div>',
    ],
    [
      'on the page, but hidden (it is cut off)',
      '<div style="transform: rotate(15deg); margin: 100px"><svg width="200" height="60"><text x="20" y="-10">Order placed</text></svg></div>',
    ],
    [
      'on the page, but hidden (backface-visibility: hidden)',
      '<div style="transform: rotateY(180deg); backface-visibility: hidden"><p style="transform-style: preserve-3d; rotate: y 180deg; isolation: isolate">Order placed</p></div>',
    ],
    [
      'on the page, but hidden (backface-visibility: hidden)',
      '<div style="transform-style: preserve-3d; transform: rotateY(180deg); backface-visibility: hidden"><div><p style="transform: translateZ(0)">Order placed</p></div></div>',
    ],
    [
      'on the page, but hidden (backface-visibility: hidden)',
      '<div style="transform-style: preserve-3d; transform: rotateY(180deg); contain: paint; backface-visibility: hidden"><div style="position: sticky; top: 0"><p style="transform: translateZ(0)">Order placed</p></div></div>',
    ],
    ['not on the page, only as the placeholder of a field', '<input placeholder="Order placed">'],
    ['not on the page, only as the alternative text of a picture', '<img alt="Order placed">'],
    ['not on the page, only in a password field', '<input type="password" value="Order placed">'],
    [
      'not on the page, only as an option that is not chosen',
      '<select><option>Open</option><option>Order placed</option></select>',
    ],
    ["not on the page, only in the page's title", '<title>Order placed</title>'],
    ['different capitalization: “ORDER Placed”; not on the page', '<p>ORDER Placed</p>'],
    ['nearest: button “Place order”; not on the page', '<p>Your cart</p><button><span>Place order</span></button>'],
    ['not on the page', '<p>Your cart</p><!-- Order placed --><script>"Order placed"</script>'],
    ['not on the page', '<input type="hidden" value="Order placed"><input type="checkbox" value="Order placed">'],
    [
      'on the page, but hidden (its characters are masked)',
      '<input style="-webkit-text-security: disc" value="Order placed">',
    ],
  ])('%s: %s', async (reason, html) => {
    await on.show(html);
    expect(await on.evaluate('page_contains', 'Order placed')).toEqual({ value: 0, reason });
  });

  it('is another text in another Unicode normalization', async () => {
    await on.show(`<p>${'Café'.normalize('NFD')}</p>`);
    expect(await on.evaluate('page_contains', 'Café'.normalize('NFC'))).toMatchObject({ value: 0 });
    expect(await on.evaluate('page_contains', 'Café'.normalize('NFD'))).toMatchObject({ value: 1 });
  });

  it('names each text of a list that is missing', async () => {
    await on.show('<p>Order placed</p><p style="display:none">Thank you</p>');
    expect(await on.evaluate('contains_text', ['Order placed', 'Thank you', 'Total: 5'])).toEqual({
      value: 0,
      reason: '“Thank you” is on the page, but hidden (display: none); “Total: 5” is not on the page',
    });
  });

  it('distinguishes the clipped part of a line from the visible part', async () => {
    await on.show(
      '<p style="width: 60px; overflow: hidden; white-space: nowrap; font: 16px monospace">Order placed</p>',
    );
    expect(await on.evaluate('page_contains', 'Order')).toMatchObject({ value: 1 });
    expect(await on.evaluate('page_contains', 'Order placed')).toMatchObject({ value: 0 });
  });

  it('is not affected by a page that overrides built-in objects', async () => {
    await on.show(`<p>Your cart</p><script>
      const lie = () => 'Order placed';
      JSON.stringify = () => '{"texts":["Order placed"],"hidden":[],"shown":[],"frames":0}';
      Array.prototype.join = lie; String.prototype.replace = lie; Range.prototype.getClientRects = () => [];
      Object.defineProperty(CharacterData.prototype, 'data', { get: lie });
      window.getComputedStyle = () => ({ display: 'block', visibility: 'visible' });
    </script>`);
    expect(await on.evaluate('page_contains', 'Order placed')).toMatchObject({ value: 0 });
    expect(await on.evaluate('page_contains', 'Your cart')).toMatchObject({ value: 1 });
  });
});
