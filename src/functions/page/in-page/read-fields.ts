/// <reference lib="dom" />
import { plain } from '../plain.ts';
import { isMostlySeen } from './clip.ts';
import { isNarrow, textBox } from './field-text.ts';
import type { ReadingContext } from './reading-context.ts';
import type { State } from './state.ts';

/** Types of inputs whose values are not text on the page. */
const TEXTLESS = new Set(['password', 'hidden', 'checkbox', 'radio', 'file', 'image', 'color', 'range']);

type Labelled = HTMLOptionElement | HTMLOptGroupElement;

/** Reads the value of an input or a text area. */
export function readField(element: Element, state: State, style: CSSStyleDeclaration, context: ReadingContext): void {
  const field = element as HTMLInputElement;
  const { value, placeholder } = field;
  const type = element.localName === 'textarea' ? 'text' : field.type;
  if (type === 'password') context.hide(value, 'only in a password field');
  if (placeholder && value === '') context.hide(placeholder, 'only as the placeholder of a field');
  if (TEXTLESS.has(type)) return;
  const { offsetWidth } = plain(field);
  const why =
    context.whyUnseen(element, state, style) ??
    (Math.abs(Number.parseFloat(style.textIndent)) >= offsetWidth ? 'it is indented out of its field' : null) ??
    (isNarrow(field, style) ? 'its field is smaller than half a character' : null) ??
    (isMostlySeen(textBox(element, style, value, state.matrix), state.flow)
      ? null
      : 'its field is clipped, or outside of what can be scrolled to');
  if (why !== null) context.hide(value, why);
  else if (value !== '') {
    context.put('\n', value, '\n');
    context.note(element, value);
  }
}

/** Reads the options of a list: all if it is open, otherwise the selected one. */
export function readSelect(element: Element, state: State, style: CSSStyleDeclaration, context: ReadingContext): void {
  const select = element as HTMLSelectElement;
  const { defaultView: window } = plain(plain(element).ownerDocument);
  const selection = select.selectedOptions[0]?.label ?? '';
  const isClipped = !isMostlySeen(textBox(element, style, selection, state.matrix), state.flow);
  const isOpen = select.multiple || select.size > 1;
  for (const option of isOpen ? select.querySelectorAll<Labelled>('optgroup, option') : select.options) {
    // A closed list shows the selected option in its own color.
    const source = isOpen ? option : element;
    const own = isOpen && window ? window.getComputedStyle(option) : style;
    const isCut = isOpen ? !isMostlySeen(textBox(option, own, option.label, state.matrix), state.flow) : isClipped;
    const why =
      (own.display === 'none' ? 'display: none' : context.whyUnseen(source, state, own)) ??
      (isCut ? 'its list is clipped, or outside of what can be scrolled to' : null);
    const isSelected = (option as HTMLOptionElement).selected;
    if (why !== null) context.hide(option.label, why);
    else if (isOpen || isSelected) {
      context.put('\n', option.label, '\n');
      if (isSelected) context.note(element, option.label);
    } else context.hide(option.label, 'only as an option that is not chosen');
  }
}
