import type { PanelRun } from '../src/editor/panel/messages.ts';
import { el, fill, set, setText } from './dom.ts';
import { icon, progressRing } from './icons.ts';
import { dressIconButton, iconButton } from './toolkit.ts';
import type { Tools, View } from './view.ts';
import { clock, count, duration, isRunning, outcomeIcon, verdictWords } from './words.ts';

/** Task, verdict, where and how it ran, and what can be done with the run. */
export function header({ store, host }: Tools): View {
  const name = el('h1', { class: 'task' });
  const badge = el('span', { class: 'verdict-badge' });
  const where = el('span', { class: 'chip' });
  const agent = el('span', { class: 'chip' });
  const seed = el('span', { class: 'chip' });
  const length = el('span', { class: 'chip' });
  const prompt = el('p', { class: 'prompt' });
  const run = iconButton('rerun', 'Run again', () => {
    const current = store.state.run;
    host.post({ type: current !== null && isRunning(current) ? 'cancel' : 'rerun' });
  });
  const pin = iconButton('pin', 'Pin', () => host.post({ type: 'pin', pinned: !(store.state.run?.pinned ?? false) }));
  const trace = iconButton('folder', 'Open the recorded trace', () => host.post({ type: 'openTrace' }));
  const save = iconButton('save', 'Save what the agent did as the task’s solution', () =>
    host.post({ type: 'saveSolution' }),
  );
  const element = el(
    'header',
    { class: 'header' },
    el('div', { class: 'headline' }, name, badge),
    el('div', { class: 'chips' }, where, agent, seed, length),
    el('span', { class: 'toolbar', role: 'toolbar', 'aria-label': 'Run' }, run, pin, save, trace),
    prompt,
  );

  /** The running time is told by the clock on the wall: nothing else changes while an agent thinks. */
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
      const spoken = el('span', { class: 'spoken' }, verdict.sentence);
      const sign =
        current.status === 'cancelled' || current.status === 'interrupted' ? 'stopped' : outcomeIcon[verdict.outcome];
      if (badgeKey(current) !== (before.run && badgeKey(before.run))) {
        fill(badge, running ? progressRing() : icon(sign), text, spoken);
      }

      fill(where, icon(current.view.icon), `${current.environment} · ${current.placement}`);
      set(where, { title: `Environment ${current.environment}, placement ${current.placement}` });
      setText(agent, current.agent);
      set(agent, { title: `Agent ${current.agent}` });
      setText(seed, `seed ${current.seed}`);
      tick(current);
      window.clearInterval(ticking);
      if (running) ticking = window.setInterval(() => tick(store.state.run ?? current), 1000);

      dressIconButton(run, running ? 'stop' : 'rerun', running ? 'Cancel the run' : 'Run again');
      dressIconButton(
        pin,
        current.pinned ? 'pinned' : 'pin',
        current.pinned ? 'Pinned: other runs open elsewhere. Unpin' : 'Pin: keep this run here, open others elsewhere',
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
  return [count(steps, 'step'), time].filter((part) => part !== null).join(' · ');
}
