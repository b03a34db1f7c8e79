import type { Cases } from './cases.ts';

/** Texts in drawings (SVG). */
export const drawings: Cases = {
  readable: [
    ['text in a drawing', '<svg><text y="20">Order placed</text></svg>'],
    ['an outline in a drawing', '<svg><text y="20" style="fill: none; stroke: red">Order placed</text></svg>'],
    [
      'text in a zoomed drawing, which does not scroll',
      '<div style="zoom: 2"><svg width="200" height="100" style="overflow: scroll; margin: 40px" viewBox="0 0 100 100" preserveAspectRatio="none"><text x="40" y="90" style="font-size: 10px">Order placed</text></svg></div>',
    ],
    ['text that a drawing uses', '<svg><defs><text id="t">Order placed</text></defs><use href="#t" y="20"/></svg>'],
  ],
  hidden: [
    [
      'on the page, but hidden (it is beyond the end of its path)',
      '<html dir="rtl"><svg style="margin: 50px"><path id="p" d="M0 50 h 200"/><text><textPath href="#p">Order placed</textPath></text></svg>',
    ],
    [
      'on the page, but hidden (it is cut off)',
      '<svg style="margin: 50px; overflow: visible"><path id="p" d="M0 50 h 20"/><text><textPath href="#p">Order placed</textPath></text></svg>',
    ],
    [
      'on the page, but hidden (it has no size)',
      '<iframe style="transform: scale(0.02)" srcdoc=\'<svg><text y="20">Order placed</text></svg>\'></iframe>',
    ],
    ['on the page, but hidden (its text is transparent)', '<svg><text y="20" fill="none">Order placed</text></svg>'],
    [
      'on the page, but hidden (its text is transparent)',
      '<svg><text y="20" fill="transparent">Order placed</text></svg>',
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
      'on the page, but hidden (its text is transparent)',
      '<svg><linearGradient id="g"><stop stop-color="red" stop-opacity="0"/></linearGradient><text y="20" fill="url(#g)">Order placed</text></svg>',
    ],
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<svg width="100" height="40"><foreignObject width="90" height="40"><p style="position: absolute; left: 900px">Order placed</p></foreignObject></svg>',
    ],
    [
      'on the page, but hidden (in a part of a drawing that is not drawn itself)',
      '<svg width="200" height="60"><defs><text id="t" y="20" opacity="0">Order placed</text></defs><use href="#t"/></svg>',
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
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<svg><svg width="200" height="30"><text y="60">Order placed</text></svg></svg>',
    ],
    [
      'on the page, but hidden (it is cut off)',
      '<div style="transform: rotate(15deg); margin: 100px"><svg width="200" height="60"><text x="20" y="-10">Order placed</text></svg></div>',
    ],
  ],
};
