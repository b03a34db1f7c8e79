import { nearestWord } from '../base/nearest.ts';

/** The roles that Playwright supports. */
const ROLES: readonly string[] = (
  'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox ' +
  'complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid ' +
  'gridcell group heading img insertion link list listbox listitem log main mark marquee math meter menu menubar ' +
  'menuitem menuitemcheckbox menuitemradio navigation none note option paragraph presentation progressbar radio ' +
  'radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong ' +
  'subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid ' +
  'treeitem'
).split(' ');

interface Attribute {
  /** Its values; without one, the attribute is true. */
  readonly values: 'true or false' | 'true, false, or mixed' | 'a number' | 'a string';
  /** The roles that have it; all roles by default. */
  readonly roles?: string;
}

const ATTRIBUTES: ReadonlyMap<string, Attribute> = new Map<string, Attribute>([
  ['selected', { values: 'true or false', roles: 'gridcell option row tab rowheader columnheader treeitem' }],
  [
    'checked',
    { values: 'true, false, or mixed', roles: 'checkbox menuitemcheckbox option radio switch menuitemradio treeitem' },
  ],
  ['pressed', { values: 'true, false, or mixed', roles: 'button' }],
  [
    'expanded',
    {
      values: 'true or false',
      roles:
        'application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem columnheader menuitemcheckbox menuitemradio switch',
    },
  ],
  ['level', { values: 'a number', roles: 'heading listitem row treeitem' }],
  ['disabled', { values: 'true or false' }],
  ['name', { values: 'a string' }],
  ['description', { values: 'a string' }],
  ['include-hidden', { values: 'true or false' }],
]);

const ROLE = /^([\w\u0080-\uFFFF-]+)\s*/;
const ATTRIBUTE =
  /\[\s*([^\s=~|^$*\]]+)\s*(?:([~|^$*]?=)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/(?:[^/\\]|\\.)+\/[a-z]*|[^\s\]"'/]+)\s*[isIS]?\s*)?\]\s*/y;

/** Returns the problem of the body of a selector `role=...` that Playwright rejects, or null. */
export function roleProblem(body: string): string | null {
  const head = ROLE.exec(body);
  const form = '“role=” takes a role and attributes: role=button[name="Save"]';
  if (head?.[1] === undefined) return form;
  const role = head[1].toLowerCase();
  for (let at = head[0].length; at < body.length; at = ATTRIBUTE.lastIndex) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(body);
    if (match === null) return form;
    const [, name = '', operator, value] = match;
    const attribute = ATTRIBUTES.get(name);
    if (attribute === undefined) {
      return `“role=” has no attribute “${name}”, only ${[...ATTRIBUTES.keys()].join(', ')}`;
    }
    const { values, roles } = attribute;
    if (!isFitting(values, operator, value)) return `“${name}” of “role=” takes ${values}`;
    if (roles !== undefined && !roles.split(' ').includes(role)) {
      return `the role “${role}” has no attribute “${name}”, only ${roles.replaceAll(' ', ', ')}`;
    }
  }
  return null;
}

/** The most similar role of one that Playwright does not support; undefined if it does. */
export function unsupportedRole(body: string): { readonly role: string; readonly near: string | null } | undefined {
  const role = ROLE.exec(body)?.[1];
  return role === undefined || ROLES.includes(role.toLowerCase())
    ? undefined
    : { role, near: nearestWord(role, ROLES) };
}

function isFitting(values: Attribute['values'], operator: string | undefined, value: string | undefined): boolean {
  if (values === 'a string') {
    if (value === undefined || value === 'true' || value === 'false') return false;
    return !value.startsWith('/') || (operator === '=' && isPattern(value));
  }
  const bare = value?.replace(/^(["'])(.*)\1$/s, '$2');
  if (values === 'a number') return operator === '=' && bare !== undefined && !Number.isNaN(Number(bare));
  if (operator === undefined) return true;
  return operator === '=' && (value === 'true' || value === 'false' || (bare === 'mixed' && values.includes('mixed')));
}

/** Whether a text `/.../flags` is a regular expression of JavaScript. */
export function isPattern(text: string): boolean {
  const end = text.lastIndexOf('/');
  try {
    new RegExp(text.slice(1, end), text.slice(end + 1));
    return true;
  } catch {
    return false;
  }
}
