import type { Cases } from './cases.ts';

/** Texts of other elements: hidden by their style, in frames and shadow roots, or not on the page at all. */
export const elements: Cases = {
  readable: [
    ['plain text', '<p>Order placed</p>'],
    ['text over several elements and lines', '<p>Order\n   <b>pla</b>ced</p>'],
    ['text of two blocks', '<div>Order</div><div>placed</div>'],
    ['text with soft hyphens and no-break spaces', '<p>Or&shy;der&nbsp;placed</p>'],
    ['text written in capitals by style only', '<p style="text-transform: uppercase">Order placed</p>'],
    [
      'a visible child of a hidden parent',
      '<div style="visibility: hidden">x <b style="visibility: visible">Order placed</b></div>',
    ],
    [
      'text in an open shadow root',
      '<div id="host"></div><script>host.attachShadow({mode: "open"}).innerHTML = "<p>Order placed</p>"</script>',
    ],
    [
      'text put into a slot',
      '<div id="host"><span>placed</span></div><script>host.attachShadow({mode: "open"}).innerHTML = "Order <slot></slot>"</script>',
    ],
    ['text in a frame', '<iframe srcdoc="<p>Order placed</p>"></iframe>'],
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
    [
      'text whose element without a box is transparent',
      '<div style="display: contents; opacity: 0">Order placed</div>',
    ],
    ['what an object shows that has nothing else to show', '<object>Order placed</object>'],
    [
      'text in ruby, which no transform applies to',
      '<div style="display: ruby; transform: scale(0)">Order placed</div>',
    ],
    ['text in a frame that is mirrored', '<iframe style="transform: scaleX(-1)" srcdoc="Order placed"></iframe>'],
    [
      'an open popover in a box that is scaled to nothing',
      '<div style="transform: scale(0); opacity: 0"><div popover id="p">Order placed</div></div><script>p.showPopover()</script>',
    ],
  ],
  hidden: [
    ['on the page, but hidden (display: none)', '<p style="display: none">Order placed</p>'],
    ['on the page, but hidden (display: none)', '<div hidden><p>Order <b>placed</b></p></div>'],
    ['on the page, but hidden (visibility: hidden)', '<p style="visibility: hidden">Order placed</p>'],
    ['on the page, but hidden (opacity: 0)', '<div style="opacity: 0"><p>Order placed</p></div>'],
    ['on the page, but hidden (its text is transparent)', '<p style="color: transparent">Order placed</p>'],
    ['on the page, but hidden (its text is transparent)', '<p style="color: rgb(0 0 0 / 0%)">Order placed</p>'],
    ['on the page, but hidden (it is transparent)', '<p style="filter: opacity(0)">Order placed</p>'],
    ['on the page, but hidden (it has no size)', '<p style="transform: scale(0.01)">Order placed</p>'],
    ['on the page, but hidden (its characters are masked)', '<p style="-webkit-text-security: disc">Order placed</p>'],
    ['on the page, but hidden (it has no size)', '<p style="font-size: 0">Order placed</p>'],
    ['on the page, but hidden (it has no size)', '<p style="transform: scale(0)">Order placed</p>'],
    [
      'on the page, but hidden (visibility: collapse)',
      '<table><col style="visibility: collapse"><tr><td>Order placed</td><td>Paid</td></tr></table>',
    ],
    ['on the page, but hidden (content-visibility: hidden)', '<p style="content-visibility: hidden">Order placed</p>'],
    [
      'on the page, but hidden (inside of a closed <details>)',
      '<details><summary>More</summary>Order placed</details>',
    ],
    [
      'on the page, but hidden (display: none)',
      '<iframe style="display: none" srcdoc="Order placed"></iframe><p style="display: none">Order placed</p>',
    ],
    [
      'on the page, but hidden (display: none)',
      '<div style="display: none"><div popover id="p">Order placed</div></div><script>p.showPopover()</script>',
    ],
    [
      'on the page, but hidden (its text is transparent)',
      '<p style="color: transparent; background: red; background-clip: text"><b style="display: inline-block; transform: translateX(1px)">Order placed</b></p>',
    ],
    [
      'on the page, but hidden (visibility: collapse)',
      '<table style="writing-mode: vertical-rl"><tr style="visibility: collapse"><td><p style="visibility: visible">Order placed</p></td></tr></table>',
    ],
    ['on the page, but hidden (it has no size)', '<p style="zoom: 0.02">Order placed</p>'],
    [
      'on the page, but hidden (it has no size)',
      '<div style="zoom: 0.02"><iframe srcdoc="Order placed"></iframe></div>',
    ],
    [
      'on the page, but hidden (visibility: collapse)',
      '<table style="writing-mode: vertical-rl"><col style="visibility: collapse"><tr><td>Order placed</td><td>Paid</td></tr></table>',
    ],
    ['not on the page, only as the alternative text of a picture', '<img alt="Order placed">'],
    ["not on the page, only in the page's title", '<title>Order placed</title>'],
    ['different capitalization: “ORDER Placed”; not on the page', '<p>ORDER Placed</p>'],
    ['nearest: button “Place order”; not on the page', '<p>Your cart</p><button><span>Place order</span></button>'],
    ['not on the page', '<p>Your cart</p><!-- Order placed --><script>"Order placed"</script>'],
  ],
};
