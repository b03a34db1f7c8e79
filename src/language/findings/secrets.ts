import type { JsonObject } from '../../base/json.ts';
import { type Problem, warning } from '../../tasks/problem.ts';
import type { Task } from '../../tasks/task.ts';

/** Shorter values occur in a text by chance. */
const LEAST = 4;
/** Texts that the agent reads. */
const READ_BY_AGENT = ['prompt', 'instruction', 'system_prompt'] as const;

/** Reports values of `sensitive_data` in texts that the agent reads. The message never contains the value. */
export function secretProblems(row: JsonObject, sensitive: Task['sensitive_data']): Problem[] {
  const problems: Problem[] = [];
  for (const key of READ_BY_AGENT) {
    const text = row[key];
    if (typeof text !== 'string') continue;
    for (const [name, value] of Object.values(sensitive).flatMap((values) => Object.entries(values))) {
      if (value.length < LEAST || !text.includes(value)) continue;
      const placeholder = `<secret>${name}</secret>`;
      const message = `The value of “${name}” in "sensitive_data" is in the ${key.replace('_', ' ')}, where the agent can read it. Use its placeholder ${placeholder} instead`;
      const changes = [{ set: [key], value: text.replaceAll(value, placeholder) }];
      const fix = { title: `Replace the value with ${placeholder}`, changes };
      problems.push(warning('secret-in-prompt', [key], message, fix));
    }
  }
  return problems;
}
