// Solves the tasks of miniwob.tasks.yaml by rules, from nothing but what it is asked and the text of the page:
//   taskwright run miniwob.tasks.yaml --agent module:solver.agent.ts --seed 3
import { type Line, read } from './read-page.ts';

interface Page {
  readonly lines: readonly Line[];
  readonly step: number;
  /** What the page says, without the elements. */
  readonly texts: readonly string[];
  /** The id of the first element of this role and, where it is said, this name. */
  id(role: string, name?: string): string;
  ids(role: string): readonly string[];
}

/** What is done at each step, or nothing where the rule has no more to do. */
type Rule = readonly [goal: RegExp, act: (page: Page, ...parts: string[]) => string | readonly string[] | null];

const quote = (text: string): string => JSON.stringify(text);
const click = (id: string): string => `click(${quote(id)})`;
const fill = (id: string, text: string): string => `fill(${quote(id)}, ${quote(text)})`;
/** Clicks a text that has no id of its own. */
const clickText = (text: string): string => click(`text=${quote(text)}`);
const submit = (page: Page): string => click(page.id('button', 'Submit'));
const names = (list: string): string[] => (list === 'nothing' ? [] : list.split(', '));
const nth = (ordinal: string): number => Number.parseInt(ordinal, 10) - 1;

/** Looks behind one tab or section after the other until the text is seen. */
const seek = (page: Page, text: string): string => {
  if (page.texts.includes(text)) return clickText(text);
  // The first tab is open from the start, sections are not.
  const tabs = page.lines.filter(({ role }) => role === 'tab');
  const open = page.ids('link').length > 0 ? 1 : 0;
  return click(tabs[page.step + open]?.id ?? '');
};

const sum = (left: number, sign: string, right: number): number =>
  sign === '+' ? left + right : sign === '-' ? left - right : left * right;

const RULES: readonly Rule[] = [
  [/^Click the button\.$/, (page) => click(page.id('button'))],
  [/^Click button (\w+)\.$/, (page, name) => click(page.id('button', name))],
  [
    /^Click button (\w+), then click button (\w+)\./,
    (page, one, two) => [click(page.id('button', one)), click(page.id('button', two))],
  ],
  [/^Click on the "(.*)" button\.$/, (page, name) => click(page.id('button', name))],
  [
    /^Click on a "(\w+)" widget/,
    ({ lines }, kind) => {
      const roles: Record<string, readonly string[]> = {
        button: ['button'],
        checkbox: ['checkbox'],
        radio: ['radio'],
        text: ['textbox'],
        textarea: ['textbox'],
      };
      const found = lines.filter(({ role }) => roles[kind]?.includes(role));
      return click((kind === 'textarea' ? found.at(-1) : found[0])?.id ?? '');
    },
  ],
  [/^Close the dialog/, (page) => click(page.id('button', 'Close'))],
  [/in the dialog box labeled "(.*)"\.$/, (page, name) => click(page.id('button', name === 'x' ? 'Close' : name))],
  [
    /^Select (.*) from the (?:scroll )?list and click Submit/,
    (page, list) => [
      `select_option(${quote(page.ids('combobox')[0] ?? page.id('listbox'))}, ${JSON.stringify(names(list))})`,
      submit(page),
    ],
  ],
  [
    /^Select (.*) and click Submit\.$/,
    (page, list) => [
      ...names(list).map((name) =>
        click(page.lines.find((line) => ['radio', 'checkbox'].includes(line.role) && line.name === name)?.id ?? ''),
      ),
      submit(page),
    ],
  ],
  [/^Click on the link "(.*)"\.$/, (_page, text) => clickText(text)],
  [/^Click on (Tab #\d+)\.$/, (page, name) => click(page.id('link', name))],
  [/^(?:Switch between the tabs|Expand the sections below,) to find and click on the link "(.*)"\.$/, seek],
  [
    /^Enter "(.*)" into the text field and press Submit/,
    (page, text) => [fill(page.id('textbox'), text), submit(page)],
  ],
  [
    /^Type "(.*)" in all (upper|lower) case letters/,
    (page, text, to) => [
      fill(page.id('textbox'), to === 'upper' ? text.toUpperCase() : text.toLowerCase()),
      submit(page),
    ],
  ],
  [
    /^Enter the password "(.*)" into both/,
    (page, text) => [...page.ids('textbox').map((id) => fill(id, text)), submit(page)],
  ],
  [
    /^Enter the username "(.*)" and the password "(.*)" into/,
    (page, user, password) => [
      fill(page.ids('textbox')[0] ?? '', user),
      fill(page.ids('textbox')[1] ?? '', password),
      click(page.id('button', 'Login')),
    ],
  ],
  [
    /^Enter (\d\d)\/(\d\d)\/(\d+) as the date/,
    (page, month, day, year) => [fill(page.id('Date'), `${year}-${month}-${day}`), submit(page)],
  ],
  [
    /^Enter (\d+):(\d\d) (AM|PM) as the time/,
    (page, hour, minute, half) => {
      const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
      return [fill(page.id('InputTime'), `${String(hours).padStart(2, '0')}:${minute}`), submit(page)];
    },
  ],
  [/^Focus into the textbox/, (page) => `focus(${quote(page.id('textbox'))})`],
  [/^Focus into the (\d+)\w+ input textbox/, (page, place) => `focus(${quote(page.ids('textbox')[nth(place)] ?? '')})`],
  [
    /^Find the (\d+)\w+ word in the paragraph/,
    (page, place) => {
      const word = page.texts[0]?.split(' ')[nth(place)]?.replace(/[.,]$/, '') ?? '';
      return [fill(page.id('textbox'), word), submit(page)];
    },
  ],
  [
    /^Enter the value of (.*) into the text field/,
    (page, label) => {
      const cells = page.lines.filter(({ role }) => role === 'cell').map(({ name }) => name);
      return [fill(page.id('textbox'), cells[cells.indexOf(label) + 1] ?? ''), submit(page)];
    },
  ],
  [
    /^Enter the value that corresponds with each label/,
    (page) => {
      const cells = page.lines.filter(({ role }) => role === 'cell').map(({ name }) => name);
      const labels = page.texts.filter((text) => text.endsWith(':')).map((text) => text.slice(0, -1));
      const fields = page.ids('textbox');
      return [
        ...labels.map((label, index) => fill(fields[index] ?? '', cells[cells.indexOf(label) + 1] ?? '')),
        submit(page),
      ];
    },
  ],
  [
    /^Solve for x/,
    (page) => {
      const [, left = '', sign = '', right = '', total = ''] =
        /^(\S+) ([+-]) (\S+) = (\S+)$/.exec(page.texts[0] ?? '') ?? [];
      const x =
        right === 'x'
          ? sign === '+'
            ? Number(total) - Number(left)
            : Number(left) - Number(total)
          : sign === '+'
            ? Number(total) - Number(right)
            : Number(total) + Number(right);
      return [fill(page.id('textbox'), String(x)), submit(page)];
    },
  ],
  [
    /^Solve the math problem/,
    (page) => {
      const [, left, sign = '', right] = /^(\S+) ([+x-]) (\S+) =/.exec(page.texts[0] ?? '') ?? [];
      return [fill(page.id('textbox'), String(sum(Number(left), sign, Number(right)))), submit(page)];
    },
  ],
  [
    /^Copy the text (?:in the textarea|from the (\d+)\w+ text area) below/,
    (page, place) => {
      const source = page.lines.filter(({ role, value }) => role === 'textbox' && value !== null)[
        place ? nth(place) : 0
      ];
      return [
        fill(page.lines.find(({ role, value }) => role === 'textbox' && value === null)?.id ?? '', source?.value ?? ''),
        submit(page),
      ];
    },
  ],
  [
    /^Find the last word in the text area/,
    (page) => {
      const words = (page.lines.find(({ role }) => role === 'textbox')?.value ?? '').trim().split(/\s+/);
      return [fill(page.ids('textbox')[1] ?? '', (words.at(-1) ?? '').replace(/[.,]$/, '')), submit(page)];
    },
  ],
  [
    /^Find the email by (.*) and click the (trash|star) icon/,
    ({ lines }, sender, icon) => {
      const from = lines.findIndex(({ role, name }) => role === 'StaticText' && name === sender);
      const icons = lines.slice(from).filter(({ role }) => role === 'image');
      return click(icons[icon === 'trash' ? 0 : 1]?.id ?? '');
    },
  ],
  [
    /^Check the (\d+)\w+ radio button and enter the number "(.*)" into the (\d+)\w+ textbox/,
    (page, radio, number, field) => [
      click(page.ids('radio')[nth(radio)] ?? ''),
      fill(page.ids('textbox')[nth(field)] ?? '', number),
      submit(page),
    ],
  ],
  [
    /^Choose (.*) from the dropdown, then click the button labeled "(.*)"/,
    (page, option, button) => [
      `select_option(${quote(page.id('combobox'))}, ${quote(option)})`,
      click(page.id('button', button)),
    ],
  ],
  [
    /^Mark the numbers below as odd or even/,
    (page) => [
      ...page.texts
        .filter((text) => /^-?\d+$/.test(text))
        .map((text, index) =>
          click(page.lines.filter(({ name }) => name === (Number(text) % 2 === 0 ? 'Even' : 'Odd'))[index]?.id ?? ''),
        ),
      submit(page),
    ],
  ],
  [
    /^Search for (\w+) movies directed by (\w+) from year (\d+)/,
    (page, genre, director, year) => {
      const said: Record<string, string> = { genre, director, year };
      const labels = page.lines.map(({ name }) => name.toLowerCase()).filter((name) => name in said);
      return [
        ...page
          .ids('textbox')
          .map((id, index) => fill(id, said[labels[index] ?? Object.keys(said)[index] ?? ''] ?? '')),
        clickText(page.texts.at(-1) ?? ''),
      ];
    },
  ],
  [
    /^Generate an? (.*?),? then press submit/,
    (page, wish) => {
      const number = page.step === 0 ? Number.NaN : Number(page.texts[0]);
      const [, order, limit] = /number (less|greater) than (-?\d+)/.exec(wish) ?? [];
      const fits =
        order === undefined
          ? Math.abs(number % 2) === (wish.includes('even') ? 0 : 1)
          : order === 'less'
            ? number < Number(limit)
            : number > Number(limit);
      return fits ? submit(page) : click(page.id('button', 'Generate'));
    },
  ],
  [/^Guess the number between 0-9/, (page) => [fill(page.id('spinbutton'), String(page.step)), submit(page)]],
  [
    /^Find (.*) in the contact book and click on their (phone number|email|address)/,
    (page, name, what) => {
      const links = page.lines.filter(({ role }) => role === 'link');
      if (!page.lines.some((line) => line.role === 'heading' && line.name === name)) {
        return click(links.find((link) => link.name === '>')?.id ?? '');
      }
      return click(links[['phone number', 'email', 'address'].indexOf(what)]?.id ?? '');
    },
  ],
  [/^Type the text below into the text field/, (page) => [fill(page.id('textbox'), page.texts.join('')), submit(page)]],
  [
    /^Buy the ticket with the (shortest duration|cheapest cost)/,
    (page, what) => {
      const books = page.lines.filter(({ name }) => name.startsWith('Book for'));
      const minutes = page.texts.flatMap((text) => {
        const [, hours, rest] = /^(\d+)h (\d+)m$/.exec(text) ?? [];
        return hours === undefined ? [] : [Number(hours) * 60 + Number(rest)];
      });
      const costs = what === 'cheapest cost' ? books.map(({ name }) => Number(name.replace(/\D/g, ''))) : minutes;
      return click(books[costs.indexOf(Math.min(...costs))]?.id ?? '');
    },
  ],
];

export default function solve(
  observation: { readonly text: string | null },
  { prompt, step }: { prompt: string; step: number },
) {
  const lines = read(observation.text ?? '');
  const of = (role: string, name?: string) =>
    lines.filter((line) => line.id !== null && line.role === role && (name === undefined || line.name === name));
  const page: Page = {
    lines,
    step,
    texts: lines.filter(({ role, name }) => role === 'StaticText' && name.trim() !== '').map(({ name }) => name),
    id: (role, name) => of(role, name)[0]?.id ?? '',
    ids: (role) => of(role).map(({ id }) => id ?? ''),
  };
  for (const [goal, act] of RULES) {
    const found = goal.exec(prompt);
    if (found) return act(page, ...found.slice(1));
  }
  return null;
}
