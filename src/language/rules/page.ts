import type { Json } from '../../base/json.ts';
import { jsonWriter } from '../../tasks/formats/json/print.ts';
import type { Example, Rule } from '../../tasks/rules/rule.ts';
import { RULE_GROUPS } from '../../tasks/rules/rules.ts';

const SEVERITIES: Readonly<Record<Rule['severity'], string>> = {
  error: 'error: the task cannot run, or the call would fail',
  warning: 'warning: the task runs, but probably not as intended',
  information: 'information: no change is needed',
  hint: 'hint',
};

/** All rule pages, by their names in `docs/rules`, the index included. */
export function rulePages(): ReadonlyMap<string, string> {
  const pages = new Map<string, string>([['README.md', index()]]);
  for (const { rules } of RULE_GROUPS) {
    for (const [code, rule] of Object.entries(rules)) pages.set(`${code}.md`, page(code, rule));
  }
  return pages;
}

function page(code: string, { title, severity, why, fix, bad, good }: Rule): string {
  const parts = [`# ${title}`, `\`${code}\` · ${SEVERITIES[severity]}`, why];
  if (bad !== undefined) parts.push('## Incorrect', example(bad));
  if (good !== undefined) parts.push('## Correct', example(good));
  parts.push('## How to fix it', fix, '[All rules](README.md)');
  return `${parts.join('\n\n')}\n`;
}

function example(source: Example): string {
  const [language, text] =
    typeof source === 'string'
      ? ['json', source]
      : [LANGUAGES[source.file.slice(source.file.lastIndexOf('.') + 1)] ?? '', source.text];
  return `\`\`\`${language}\n${formatJson(language, text.trimEnd())}\n\`\`\``;
}

const LANGUAGES: Readonly<Record<string, string>> = { jsonl: 'json', yaml: 'yaml', py: 'python', actions: 'python' };

/** Formats valid JSON with one member per line; returns any other text unchanged. */
function formatJson(language: string, text: string): string {
  if (language !== 'json') return text;
  try {
    const value: Json = JSON.parse(text);
    const [only, ...more] = Array.isArray(value) ? (value as readonly Json[]) : [value];
    if (typeof only !== 'object' || only === null || more.length > 0) return text;
    // Reformatting would drop a duplicate key.
    if (JSON.stringify(value).replaceAll(' ', '') !== text.replace(/\s/g, '')) return text;
    const members = Object.entries(only).map(([key, item]) => `  ${JSON.stringify(key)}: ${jsonWriter.value(item)}`);
    const lines = `{\n${members.join(',\n')}\n}`;
    return Array.isArray(value) ? `[${lines}]` : lines;
  } catch {
    // An example of broken JSON, or of JSON lines, stays as it is written.
    return text;
  }
}

function index(): string {
  const parts = [
    '# Rules',
    'The findings that the editor and `taskwright validate` report for task files, by code. An **error** prevents a task from running. A **warning** marks a task that runs, but probably not as intended: a typo in a key, or something that a named HUD release rejects or reads differently. **Information** marks valid tasks that this version does not run.',
  ];
  for (const { title, rules } of RULE_GROUPS) {
    const rows = Object.entries(rules).map(
      ([code, { severity, title: what }]) => `| [\`${code}\`](${code}.md) | ${severity} | ${what} |`,
    );
    parts.push(`## ${title}`, ['| code | usual severity | meaning |', '|---|---|---|', ...rows].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}
