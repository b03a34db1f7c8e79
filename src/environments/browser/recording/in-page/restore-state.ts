/// <reference lib="dom" />
import { plain } from '../../../../functions/page/plain.ts';
import type { RecordedMore } from '../../../recorded.ts';

/** Work that is done after the tree is complete, and at the very end. */
export interface LaterWork {
  readonly afterTree: (() => void)[];
  readonly atEnd: (() => void)[];
}

/** Sets the state of an element that markup does not express, as soon as that is possible. */
export function restoreState(element: Element, more: RecordedMore, { afterTree, atEnd }: LaterWork): void {
  const { rules, scroll } = more;
  afterTree.push(() => restoreField(element as HTMLInputElement, more));
  if (rules) afterTree.push(() => replaceRules(element as HTMLStyleElement, rules));
  if (more.modal) {
    afterTree.push(() => {
      element.removeAttribute('open');
      (element as HTMLDialogElement).showModal();
    });
  }
  if (more.popover) afterTree.push(() => (element as HTMLElement).showPopover());
  if (more.off) {
    atEnd.push(() => {
      const { sheet } = element as HTMLStyleElement;
      if (sheet) sheet.disabled = true;
    });
  }
  if (more.focus) atEnd.push(() => plain(element as HTMLElement).focus({ preventScroll: true }));
  if (scroll) atEnd.push(() => plain(element).scrollTo({ left: scroll[0], top: scroll[1], behavior: 'instant' }));
}

function replaceRules({ sheet }: HTMLStyleElement, rules: readonly string[]): void {
  if (!sheet) return;
  while (sheet.cssRules.length > 0) sheet.deleteRule(0);
  for (const rule of rules) sheet.insertRule(rule, sheet.cssRules.length);
}

function restoreField(field: HTMLInputElement, more: RecordedMore): void {
  const { value, checked, indeterminate, selected, files } = more;
  if (value !== undefined) field.value = value;
  if (checked !== undefined) field.checked = checked;
  if (indeterminate) field.indeterminate = true;
  if (selected) {
    const list = field as Element as HTMLSelectElement;
    for (const option of list.options) if (list.multiple) option.selected = selected.includes(option.index);
    if (!list.multiple) list.selectedIndex = selected[0] ?? -1;
  }
  if (files) {
    const transfer = new DataTransfer();
    for (const name of files) transfer.items.add(new File([], name));
    field.files = transfer.files;
  }
}

/** Draws the recorded picture of a canvas. Never rejects. */
export async function drawCanvas(canvas: HTMLCanvasElement, url: string): Promise<void> {
  const picture = new Image();
  picture.src = url;
  await picture
    .decode()
    .then(() => canvas.getContext('2d')?.drawImage(picture, 0, 0))
    .catch(() => undefined);
}
