import * as l10n from '@vscode/l10n';
import type { PanelRun } from '../src/presentation/runs/messages.ts';
import { el, fill, set, setText } from './dom.ts';
import { icon, progressRing } from './icons.ts';
import { dressIconButton, iconButton } from './toolkit.ts';
import type { Tools, View } from './view.ts';
import { clock, duration, isRunning, outcomeIcon, stepCount, verdictWords } from './words.ts';

/** Task, verdict, placement, agent, and the actions for the run. */
export function header({ store, host }: Tools): View {
  const name = el('h1', { class: 'task' });
  const badge = el('span', { class: 'verdict-badge' });
  const placementChip = el('span', { class: 'chip' });
  const agent = el('span', { class: 'chip' });
  const seed = el('span', { class: 'chip' });
  const attempt = el('span', { class: 'chip' });
  const length = el('span', { class: 'chip' });
  const prompt = el('p', { class: 'prompt' });
  const run = iconButton('rerun', l10n.t('Rerun'), () => {
    const current = store.state.run;
    host.post({ type: current !== null && isRunning(current) ? 'cancel' : 'rerun' });
  });
  const pin = iconButton('pin', l10n.t('Pin'), () =>
    host.post({ type: 'pin', pinned: !(store.state.run?.pinned ?? false) }),
  );
  const trace = iconButton('folder', l10n.t('Open Trace File'), () => host.post({ type: 'openTrace' }));
  const save = iconButton('save', l10n.t('Save as Solution'), () => host.post({ type: 'saveSolution' }));
  const element = el(
    'header',
    { class: 'header' },
    el('div', { class: 'headline' }, name, badge),
    el('div', { class: 'chips' }, placementChip, agent, seed, attempt, length),
    el('span', { class: 'toolbar', role: 'toolbar', 'aria-label': l10n.t('Run') }, run, pin, save, trace),
    prompt,
  );

  /** Updates the running time, which changes without a message of the extension. */
  let ticking: number | undefined;
  function tick(current: PanelRun): void {
    setText(length, lengthWords(current));
  }

  return {
    element,
    update(state, before) {
      const current = state.run;
      element.hidden = current === null;
      if (current === null || current === before.run) return;
      setText(name, current.task);
      set(name, { title: current.file });
      setText(prompt, current.prompt);
      set(prompt, { title: current.prompt, hidden: current.prompt === '' });

      const running = isRunning(current);
      const verdict = verdictWords(current);
      set(badge, { class: `verdict-badge is-${verdict.outcome}`, title: verdict.sentence });
      const text = el('span', { 'aria-hidden': 'true' }, verdict.text);
      const hiddenText = el('span', { class: 'visually-hidden' }, verdict.sentence);
      const sign =
        current.status === 'cancelled' || current.status === 'interrupted' ? 'stopped' : outcomeIcon[verdict.outcome];
      if (badgeKey(current) !== (before.run && badgeKey(before.run))) {
        const isPaused = current.status === 'paused';
        fill(badge, isPaused ? icon('paused') : running ? progressRing() : icon(sign), text, hiddenText);
      }

      const placement = current.host === null ? current.placement : `${current.placement} ${current.host}`;
      fill(placementChip, icon(current.view.icon), `${current.environment} · ${placement}`);
      set(placementChip, { title: l10n.t('Environment: {0}, placement: {1}', current.environment, placement) });
      setText(agent, current.agent);
      set(agent, { title: l10n.t('Agent: {0}', current.agent) });
      setText(seed, l10n.t('seed {0}', current.seed));
      const { retried } = current;
      attempt.hidden = retried.length === 0;
      fill(attempt, icon('warning'), l10n.t('attempt {0}', retried.length + 1));
      set(attempt, { title: l10n.t('Retried after: {0}', retried.join('\n')) });
      tick(current);
      window.clearInterval(ticking);
      if (running) ticking = window.setInterval(() => tick(store.state.run ?? current), 1000);

      run.hidden = running && current.elsewhere;
      dressIconButton(run, running ? 'stop' : 'rerun', running ? l10n.t('Stop Run') : l10n.t('Rerun'));
      dressIconButton(
        pin,
        current.pinned ? 'pinned' : 'pin',
        current.pinned ? l10n.t('Unpin') : l10n.t('Pin: open other runs in another panel'),
      );
      pin.classList.toggle('is-on', current.pinned);
      save.hidden = running || !current.steps.some((step) => step.source === 'agent');
      trace.hidden = current.traceDir === null;
    },
  };
}

function badgeKey(run: PanelRun): string {
  return `${run.runId} ${run.status} ${run.verdict?.reward}`;
}

function lengthWords(run: PanelRun): string {
  const steps = run.steps.reduce((n, step) => n + (step.source === 'agent' ? 1 : 0), 0);
  const time = isRunning(run)
    ? clock(Date.now() - Date.parse(run.startedAt))
    : run.durationMs === null
      ? null
      : duration(run.durationMs);
  return [stepCount(steps), time].filter((part) => part !== null).join(' · ');
}
