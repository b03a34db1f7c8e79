/** A page with an element `#t`, laid out in one of many ways, and how it is clicked. */
export interface Layout {
  readonly html: string;
  readonly button: 'left' | 'right' | 'middle';
  readonly twice: boolean;
}

/** Numbers from 0 to 1 that are the same for each seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The layout of a seed. */
export function layoutOf(seed: number): Layout {
  const next = random(seed * 7919 + 1);
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(next() * choices.length)] as T;
  const number = (from: number, to: number): number => Math.round(from + next() * (to - from));
  const chance = (share: number): boolean => next() < share;
  const words = (most: number): string =>
    Array.from({ length: number(1, most) }, () =>
      pick('pay', 'by', 'invoice', 'and', 'read', 'our', 'conditions'),
    ).join(' ');
  const styles = (...some: readonly (string | false)[]): string => some.filter((one) => one !== false).join(';');
  const own = styles(
    chance(0.3) && `padding:${number(0, 30)}px ${number(0, 30)}px ${number(0, 30)}px ${number(0, 30)}px`,
    chance(0.2) && `border:${number(1, 12)}px solid`,
    chance(0.2) && `margin:${number(-10, 30)}px`,
    chance(0.2) &&
      `transform:${pick('rotate(30deg)', 'rotate(-75deg)', 'skew(20deg)', 'scale(1.7)', 'scale(.5, 2)', 'translate(30.5px, 12.25px)')}`,
    chance(0.1) && `position:relative;left:${number(-20, 60)}px;top:${number(-5, 40)}px`,
    chance(0.1) && `font-size:${number(9, 34)}px`,
    chance(0.1) && `line-height:${pick('1', '2.5', '8px')}`,
    chance(0.1) && `display:${pick('inline', 'inline-block', 'block', 'flex', 'contents', 'list-item', 'table')}`,
    chance(0.06) && `text-indent:${number(-40, 60)}px`,
    chance(0.06) && `overflow:${pick('hidden', 'auto', 'clip')}`,
    chance(0.05) && `writing-mode:${pick('vertical-rl', 'vertical-lr')}`,
    chance(0.05) && `float:${pick('left', 'right')}`,
    chance(0.05) && `border-radius:${number(5, 80)}px`,
    chance(0.03) && `clip-path:circle(${number(20, 60)}%)`,
    chance(0.03) && `pointer-events:none`,
    chance(0.04) && `column-count:2`,
  );
  const inner = (): string =>
    pick(
      () => words(12),
      () => `${words(3)}<br>${words(6)}`,
      () => `<br>${words(5)}`,
      () => `<span>${words(4)}</span> ${words(4)}`,
      () => `<div style="margin-left:${number(0, 80)}px">${words(5)}</div>`,
      () => `${words(2)}<div>${words(4)}</div>${words(2)}`,
      () => `<b style="font-size:${number(8, 40)}px">${words(3)}</b>`,
      () => `<img width=${number(5, 90)} height=${number(5, 60)} alt=x src="data:,">`,
      () => '',
    )();
  const target = pick(
    () => `<a id=t href="#x" style="${own}">${inner()}</a>`,
    () => `<a id=t href="#x" style="${own}">${words(25)}</a>`,
    () => `<button id=t style="${own}">${inner()}</button>`,
    () =>
      `<label id=t style="${own}">${words(4)} <input type=${pick('checkbox', 'radio', 'text')}> ${words(3)}</label>`,
    () => `<label id=t style="${own}"><input type=${pick('checkbox', 'radio', 'text')}></label>`,
    () => `<label id=t for=other style="${own}">${inner()}</label><input id=other type=checkbox>`,
    () => `<label>${words(3)} <input id=t type=${pick('checkbox', 'radio', 'text', 'submit')} style="${own}"></label>`,
    () => `<span id=t style="${own}">${inner()}</span>`,
    () => `<button><span id=t style="${own}">${inner()}</span></button>`,
    () => `<a href="#x"><span id=t style="${own}">${inner()}</span></a>`,
    () => `<div id=t style="${own}">${inner()}</div>`,
    () => `<div id=t style="${own};width:${number(1, 400)}px;height:${number(0, 120)}px"></div>`,
    () => `<ul><li id=t style="${own}">${inner()}</li></ul>`,
    () =>
      `<table><caption>${words(2)}</caption><tr><td>${words(2)}</td><td id=t style="${own}">${inner()}</td></tr></table>`,
    () => `<table id=t style="${own}"><caption>${words(2)}</caption><tr><td>${words(2)}</td></tr></table>`,
    () => `<select id=t style="${own}"><option>${words(2)}</option></select>`,
    () => `<textarea id=t style="${own}">${words(2)}</textarea>`,
    () => `<details><summary id=t style="${own}">${inner()}</summary>${words(3)}</details>`,
    () =>
      `<svg width=200 height=120><${pick('circle id=t cx=60 cy=60 r=40', 'path id=t d="M10 10 L90 10 L10 90 Z"', 'g id=t><rect x=20 y=20 width=50 height=30 /><circle cx=120 cy=80 r=20 /></g><g', 'text id=t x=10 y=40>Pay now</text><g')} style="${own}" /></svg>`,
    () => `<fieldset id=t style="${own}"><legend>${words(2)}</legend>${words(3)}</fieldset>`,
  )();
  const around = styles(
    `width:${number(60, 700)}px`,
    chance(0.15) && `margin-left:${number(0, 600)}px`,
    chance(0.15) && `margin-top:${pick(0, 100, 600, 1500)}px`,
    chance(0.1) && `transform:${pick('rotate(12deg)', 'scale(.8)', 'translateX(13.3px)')};transform-origin:0 0`,
    chance(0.1) && `direction:rtl`,
    chance(0.1) && `text-align:${pick('center', 'right', 'justify')}`,
    chance(0.1) && `display:${pick('flex', 'grid')};align-items:${pick('start', 'center', 'stretch')}`,
    chance(0.08) && `column-count:${number(2, 3)}`,
    chance(0.08) && `height:${number(20, 120)}px;overflow:${pick('auto', 'hidden', 'visible')}`,
    chance(0.04) && `perspective:400px`,
    chance(0.04) && `zoom:${pick('1.5', '.75')}`,
  );
  const cover = chance(0.08)
    ? `<div style="position:absolute;left:0;top:0;width:${number(20, 300)}px;height:${number(10, 60)}px;background:#8888"></div>`
    : '';
  const html = `<div style="${around}">${chance(0.5) ? words(8) : ''} ${target} ${chance(0.5) ? words(8) : ''}</div>${cover}`;
  return { html, button: pick('left', 'left', 'left', 'right', 'middle'), twice: chance(0.1) };
}
