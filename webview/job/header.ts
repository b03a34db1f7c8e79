import * as l10n from '@vscode/l10n';
import type { JobHead, JobPageMessage } from '../../src/presentation/jobs/messages.ts';
import { el, fill, set, setText } from '../dom.ts';
import { type IconName, icon, progressRing } from '../icons.ts';
import { iconButton, textButton } from '../toolkit.ts';
import { clock, duration } from '../words.ts';

const RESULT_ICONS: Readonly<Record<JobHead['headline']['kind'], IconName>> = {
  none: 'stopped',
  pass: 'pass',
  fail: 'fail',
  error: 'error',
};

/** Title, progress, figures, and actions of a job. */
export function jobHeader(post: (message: JobPageMessage) => void): {
  readonly element: HTMLElement;
  update(head: JobHead): void;
} {
  const title = el('h1', { class: 'task' });
  const badge = el('span', { class: 'verdict-badge is-none' });
  const chips = el('div', { class: 'chips' });
  const stop = iconButton('stop', l10n.t('Stop Job'), () => post({ type: 'stop' }));
  const resume = iconButton('resume', l10n.t('Resume Job'), () => post({ type: 'resume' }));
  const failures = textButton(
    l10n.t('Rerun Failures'),
    l10n.t('Run the tasks with failed runs again as a new job'),
    () => post({ type: 'rerun', failures: true }),
  );
  const all = textButton(l10n.t('Rerun All'), l10n.t('Run all tasks again as a new job'), () =>
    post({ type: 'rerun', failures: false }),
  );
  const csv = iconButton('save', l10n.t('Export as CSV'), () => post({ type: 'exportCsv' }));
  const done = el('div', { class: 'progress-done' });
  const bar = el('div', { class: 'progress', role: 'progressbar', 'aria-label': l10n.t('Runs ended') }, done);
  const figures = el('dl', { class: 'figures' });
  const element = el(
    'header',
    { class: 'header' },
    el('div', { class: 'headline' }, title, badge),
    chips,
    el('span', { class: 'toolbar', role: 'toolbar', 'aria-label': l10n.t('Job') }, failures, all, stop, resume, csv),
    bar,
    figures,
  );
  let current: JobHead | null = null;
  let ticking: number | undefined;

  const updateChips = (head: JobHead): void => {
    const time = head.durationMs === null ? clock(Date.now() - Date.parse(head.startedAt)) : duration(head.durationMs);
    fill(chips, ...[...head.chips, time].map((chip) => el('span', { class: 'chip' }, chip)));
  };

  return {
    element,
    update(head) {
      setText(title, head.title);
      set(title, { title: head.folder });
      const isActive = head.status === 'running' || head.status === 'stopping';
      const progressText = l10n.t('{0}/{1} ended', head.ended, head.total);
      const count = head.status === 'stopping' ? `${progressText}, ${l10n.t('stopping')}` : progressText;
      const { text, kind } = head.headline;
      if (current?.status !== head.status || current.ended !== head.ended || current.headline.text !== text) {
        fill(
          badge,
          isActive ? progressRing() : icon(RESULT_ICONS[kind]),
          isActive || head.ended < head.total ? `${count} · ${text}` : text,
        );
        badge.className = `verdict-badge is-${kind}`;
      }
      set(badge, { title: l10n.t('{0} of {1} runs ended, {2} running', head.ended, head.total, head.running) });
      updateChips(head);
      window.clearInterval(ticking);
      if (isActive) ticking = window.setInterval(() => current !== null && updateChips(current), 1000);
      failures.hidden = isActive || head.headline.kind === 'pass';
      all.hidden = isActive;
      csv.hidden = isActive;
      stop.hidden = head.status !== 'running';
      resume.hidden = head.status !== 'unfinished';
      set(bar, { 'aria-valuemin': 0, 'aria-valuemax': head.total, 'aria-valuenow': head.ended });
      done.style.width = `${head.total === 0 ? 0 : (100 * head.ended) / head.total}%`;
      bar.classList.toggle('is-over', !isActive && head.ended === head.total);
      const facts = head.figures.map(({ name, value, title: tooltip }) =>
        el('div', { class: 'figure', title: tooltip }, el('dt', {}, name), el('dd', {}, value)),
      );
      fill(figures, ...facts);
      current = head;
    },
  };
}
