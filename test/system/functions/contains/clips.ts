import type { Cases } from './cases.ts';

/** Texts that a box, a shape or a mask may cut off, and that may have to be scrolled to. */
export const clips: Cases = {
  readable: [
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
      'text of an absolutely placed child that no box clips',
      '<div style="overflow: hidden; height: 0"><p style="position: absolute">Order placed</p></div>',
    ],
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
    [
      'text below the fold of a frame that scrolls',
      '<iframe height="50" srcdoc="<div style=height:900px></div>Order placed"></iframe>',
    ],
    [
      'text behind a filter that changes nothing',
      '<p style="filter: contrast(1); clip-path: inset(0)">Order placed</p>',
    ],
    [
      'a modal dialog in a box that clips',
      '<div style="height: 0; overflow: hidden; transform: translate(-999px)"><dialog>Order placed</dialog></div><script>document.querySelector("dialog").showModal()</script>',
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
      'text in a shape of a mirrored box',
      '<div style="transform: scaleX(-1); width: 800px"><p style="clip-path: path(\'M 0 0 H 200 V 50 H 0 Z\')">Order placed</p></div>',
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
  ],
  hidden: [
    [
      'on the page, but hidden (it is transparent)',
      '<p style="mask: linear-gradient(transparent, transparent)">Order placed</p>',
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
      'on the page, but hidden (it is transparent)',
      '<p style="mask: linear-gradient(#000, #000) luminance">Order placed</p>',
    ],
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
      '<body style="contain: paint; height: 20px"><p style="margin-top: 90px">Order placed</p></body>',
    ],
    [
      'on the page, but hidden (it is clipped to nothing)',
      '<p style="mask: linear-gradient(#000, #000) 0 0 / 0 0 no-repeat">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="color: transparent; background: red; background-clip: text; width: 90px; text-indent: 300px; white-space: nowrap">Order placed</p>',
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
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="overflow: hidden; height: 60px"><div style="mask: linear-gradient(#000, #000); height: 300px; width: 300px"><p style="position: absolute; top: 200px">Order placed</p></div></div>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<p style="border-radius: 50%; overflow: hidden; width: 400px; height: 400px; font-size: 8px">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div><template shadowrootmode="open"><svg width="0" height="0"><mask id="m"><rect width="800" height="800" fill="#000"/></mask></svg><p style="mask: url(#m)">Order placed</p></template></div>',
    ],
    [
      'on the page, but hidden (it is clipped to nothing)',
      '<div style="mask: linear-gradient(#000, #000) -999px 0 / 10px 10px no-repeat; margin-left: 400px"><p style="position: relative; left: -300px">Order placed</p></div>',
    ],
    [
      'on the page, but hidden (it is cut off)',
      '<div style="transform: rotate(15deg); margin: 100px; width: 300px; height: 20px; overflow: hidden"><div style="height: 30px"></div>Order placed</div>',
    ],
  ],
};
