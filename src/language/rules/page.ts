import type { Json } from '../../tasks/task.ts';
import { jsonLine } from '../json-line.ts';
import type { Example, Rule } from './rule.ts';
import { RULE_GROUPS } from './rules.ts';

const SEVERITIES: Readonly<Record<Rule['severity'], string>> = {
  error: 'error: the task cannot run, or the call would surely fail',
  warning: 'warning: it runs, but surely not as meant',
  information: 'information: nothing to mend',
  hint: 'hint',
};

/** All pages about rules by their names in `docs/rules`, the index included. */
export function rulePages(): ReadonlyMap<string, string> {
  const pages = new Map<string, string>([['README.md', index()]]);
  for (const { rules } of RULE_GROUPS) {
    for (const [code, rule] of Object.entries(rules)) pages.set(`${code}.md`, page(code, rule));
  }
  return pages;
}

function page(code: string, { title, severity, why, mend, bad, good }: Rule): string {
  const parts = [`# ${title}`, `\`${code}\` · ${SEVERITIES[severity]}`, why];
  if (bad !== undefined) parts.push('## Not like this', example(bad));
  if (good !== undefined) parts.push('## But like this', example(good));
  parts.push('## How to mend it', mend, '[All rules](README.md)');
  return `${parts.join('\n\n')}\n`;
}

function example(given: Example): string {
  const [language, text] =
    typeof given === 'string'
      ? ['json', given]
      : [LANGUAGES[given.file.slice(given.file.lastIndexOf('.') + 1)] ?? '', given.text];
  return `\`\`\`${language}\n${laidOut(language, text.trimEnd())}\n\`\`\``;
}

const LANGUAGES: Readonly<Record<string, string>> = { jsonl: 'json', yaml: 'yaml', py: 'python', actions: 'python' };

/** One member a line, where it is JSON that can be read. */
function laidOut(language: string, text: string): string {
  if (language !== 'json') return text;
  try {
    const value: Json = JSON.parse(text);
    const [only, ...more] = Array.isArray(value) ? (value as readonly Json[]) : [value];
    if (typeof only !== 'object' || only === null || more.length > 0) return text;
    // A key that stands twice would be lost.
    if (JSON.stringify(value).replaceAll(' ', '') !== text.replace(/\s/g, '')) return text;
    const members = Object.entries(only).map(([key, item]) => `  ${JSON.stringify(key)}: ${jsonLine(item)}`);
    const laid = `{\n${members.join(',\n')}\n}`;
    return Array.isArray(value) ? `[${laid}]` : laid;
  } catch {
    // An example of broken JSON, or of JSON lines, stays as it is written.
    return text;
  }
}

function index(): string {
  const parts = [
    '# Rules',
    'What Taskwright says about task files, in the editor and by `taskwright validate`, with the code that stands behind each message. An **error** keeps a task from running. A **warning** is about a task that runs, but surely not as meant: a typo in a key, or something that a named release of HUD refuses or reads otherwise. **Information** is about valid tasks that this version does not run.',
  ];
  for (const { title, rules } of RULE_GROUPS) {
    const rows = Object.entries(rules).map(
      ([code, { severity, title: what }]) => `| [\`${code}\`](${code}.md) | ${severity} | ${what} |`,
    );
    parts.push(`## ${title}`, ['| code | usually | what is wrong |', '|---|---|---|', ...rows].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}
