import type { CustomTaskName } from '../../../functions/user/custom-tasks.ts';

/** The description of a custom task, as Markdown. */
export function customTaskDoc({ name, class: named, doc, file }: CustomTaskName): string {
  const where = `in \`${file.replace(/^.*[/\\]/, '')}\``;
  return [`**${name}**: ${named === null ? 'a custom task' : `\`class ${named}\``}`, doc, `Defined ${where}.`]
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join('\n\n');
}
