/// <reference lib="dom" />

/** Runs in the window: what stands behind the code. VS Code draws it as content of styles, so text search misses it. */
export function inlineValues(): string[] {
  return [...document.querySelectorAll('.view-lines .view-line span span')]
    .map((span) => getComputedStyle(span, '::after').content)
    .filter((content) => content !== 'none' && content !== 'normal' && content !== '""')
    .map((content) => content.replace(/^"|"$/g, '').replaceAll('\u00a0', ' ').replaceAll('\\"', '"').trim());
}

/** Runs in the window: the characters of the open file that stand above a squiggle of an error. */
export function underlined(): string {
  const squiggles = [...document.querySelectorAll('.view-overlays .squiggly-error')].map((squiggle) =>
    squiggle.getBoundingClientRect(),
  );
  let found = '';
  for (const line of document.querySelectorAll('.view-lines .view-line')) {
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      for (let index = 0; index < (node.nodeValue ?? '').length; index += 1) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        if (squiggles.some((one) => one.left < x && x < one.right && one.top < y && y < one.bottom)) {
          found += node.nodeValue?.[index];
        }
      }
    }
  }
  return found;
}
