import type { Cases } from './cases.ts';

/** Texts of fields and lists. */
export const fields: Cases = {
  readable: [
    ['the value of a text field', '<input value="Order placed">'],
    [
      'the value typed into an area',
      '<textarea>nothing</textarea><script>document.querySelector("textarea").value = "Order placed"</script>',
    ],
    ['the chosen option', '<select><option>Open</option><option selected>Order placed</option></select>'],
    ['an open list of options', '<select size="3"><option>Open</option><option>Order placed</option></select>'],
    ['the label of an input button', '<input type="submit" value="Order placed">'],
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
      'the text in the middle of a wide button',
      '<div style="width: 200px; overflow: auto"><input type="submit" style="width: 900px" value="Order placed"></div>',
    ],
    [
      'the text at the start of a high area',
      '<div style="height: 50px; overflow: hidden"><textarea style="height: 500px">Order placed</textarea></div>',
    ],
    [
      'the text at the start of a field on its side',
      '<div style="height: 120px; overflow: hidden"><input style="width: 600px; rotate: 90deg; transform-origin: 0 0; margin-left: 100px" value="Order placed"></div>',
    ],
  ],
  hidden: [
    [
      'on the page, but hidden (its text is transparent)',
      '<select style="color: transparent"><option>Order placed</option></select>',
    ],
    [
      'on the page, but hidden (it is indented out of its field)',
      '<input type="submit" style="text-indent: -999px" value="Order placed">',
    ],
    ['on the page, but hidden (display: none)', '<select size="2"><option hidden>Order placed</option></select>'],
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
    ['not on the page, only as the placeholder of a field', '<input placeholder="Order placed">'],
    ['not on the page, only in a password field', '<input type="password" value="Order placed">'],
    [
      'not on the page, only as an option that is not chosen',
      '<select><option>Open</option><option>Order placed</option></select>',
    ],
    ['not on the page', '<input type="hidden" value="Order placed"><input type="checkbox" value="Order placed">'],
    [
      'on the page, but hidden (its characters are masked)',
      '<input style="-webkit-text-security: disc" value="Order placed">',
    ],
  ],
};
