import type { Cases } from './cases.ts';

/** Texts on elements that are turned in space. */
export const turned: Cases = {
  readable: [
    ['the front of a card', '<div style="backface-visibility: hidden; transform: rotateY(360deg)">Order placed</div>'],
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
  ],
  hidden: [
    [
      'on the page, but hidden (it is clipped, or outside of what can be scrolled to)',
      '<div style="transform: skewX(30deg)"><div style="writing-mode: vertical-rl; overflow: auto; width: 1px"><p>Order placed</p></div></div>',
    ],
    [
      'on the page, but hidden (backface-visibility: hidden)',
      '<div style="transform-style: preserve-3d; transform: rotateY(180deg)"><p style="backface-visibility: hidden">Order placed</p></div>',
    ],
    [
      'on the page, but hidden (it is behind the viewer)',
      '<p style="transform: perspective(300px) translateZ(400px)">Order placed</p>',
    ],
    [
      'on the page, but hidden (it is behind the viewer)',
      '<div style="perspective: 300px"><p style="translate: 0 0 400px">Order placed</p></div>',
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
  ],
};
