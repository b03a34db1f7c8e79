import { type Health, type HealthLine, healthLines } from '../../placement/doctor.ts';

const SIGNS: Readonly<Record<HealthLine['state'], string>> = {
  found: '✓',
  missing: '✗',
  optional: '–',
};

/** The doctor's findings as Markdown. */
export function doctorPage(health: Health): string {
  const lines = healthLines(health).map(({ state, text, tried, fix }) => {
    const said = `${SIGNS[state]} ${plain(text)}`;
    const parts = [`- ${state === 'found' ? said : `**${said}**`}`];
    if (tried.length > 0) parts.push('', '  Looked for:', ...tried.map((one) => `  - ${plain(one)}`));
    if (fix.length > 0) parts.push('', `  ${fix.map(plain).join('  \n  ')}`);
    return parts.join('\n');
  });
  const verdict = health.ok ? 'Tasks can run on this machine.' : 'Tasks cannot run on this machine yet.';
  const docker = health.docker.ok ? 'They can run in Docker.' : 'They cannot run in Docker.';
  return ['# Taskwright: Doctor', '', `${verdict} ${docker}`, '', lines.join('\n\n'), ''].join('\n');
}

/** Text that is no Markdown, whatever stands in a path or a version. */
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}
