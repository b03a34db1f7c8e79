import type { CustomTaskName } from '../../../functions/user/custom-tasks.ts';

/** The description of a custom task, as Markdown. */
export function customTaskDoc({ name, class: className, doc, file }: CustomTaskName): string {
  const where = `in \`${file.replace(/^.*[/\\]/, '')}\``;
  return [`**${name}**: ${className === null ? 'a custom task' : `\`class ${className}\``}`, doc, `Defined ${where}.`]
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join('\n\n');
}
