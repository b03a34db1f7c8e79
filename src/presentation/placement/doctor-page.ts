import * as l10n from '@vscode/l10n';
import { type Health, type HealthLine, healthLines } from '../../doctor/doctor.ts';

const SIGNS: Readonly<Record<HealthLine['state'], string>> = {
  found: '✓',
  missing: '✗',
  optional: '–',
};

/** The report of the doctor as Markdown. */
export function doctorPage(health: Health): string {
  const lines = healthLines(health).map(({ state, text, tried, fix }) => {
    const entry = `${SIGNS[state]} ${plain(text)}`;
    const parts = [`- ${state === 'found' ? entry : `**${entry}**`}`];
    if (tried.length > 0) parts.push('', `  ${l10n.t('Searched for:')}`, ...tried.map((one) => `  - ${plain(one)}`));
    if (fix.length > 0) parts.push('', `  ${fix.map(plain).join('  \n  ')}`);
    return parts.join('\n');
  });
  const verdict = health.ok
    ? l10n.t('Tasks can run on this machine.')
    : l10n.t('Tasks cannot run on this machine yet.');
  const inDocker = health.docker.ok || health.hosts.some(({ ok }) => ok);
  const docker = inDocker ? l10n.t('Tasks can run in Docker.') : l10n.t('Tasks cannot run in Docker yet.');
  return [`# ${l10n.t('Taskwright: Doctor')}`, '', `${verdict} ${docker}`, '', lines.join('\n\n'), ''].join('\n');
}

/** Escapes Markdown in paths and versions. */
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}
