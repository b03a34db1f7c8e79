import type { PanelStep } from '../src/editor/panel/messages.ts';
import { type Child, el, fill, linkButton, setText } from './dom.ts';
import { icon } from './icons.ts';
import { positionOf, shownStep } from './store.ts';
import type { Tools, View } from './view.ts';
import { count, duration, outcomeIcon, outcomeOf, score } from './words.ts';

type Change = NonNullable<PanelStep['changes']>[number];

/** What a coding run acts on, in place of a picture: the terminal of the step, its tests, and the files as it left them. */
export function work({ host }: Tools): View {
  const terminal = el('div', { class: 'terminal', tabindex: 0, role: 'group', 'aria-label': 'Terminal' });
  const files = el('ul', { class: 'changes', 'aria-label': 'Changed files' });
  const filesTitle = el('h2', { class: 'work-title' });
  const note = el(
    'span',
    { class: 'dim work-note', title: 'Commands of this run had the rights of the person who started it.' },
    'on this machine, no sandbox',
  );
  const element = el(
    'section',
    { class: 'work', 'aria-label': 'Work' },
    el(
      'div',
      { class: 'work-part' },
      el('div', { class: 'work-bar' }, el('h2', { class: 'work-title' }, 'Terminal'), note),
      terminal,
    ),
    el('div', { class: 'work-part' }, el('div', { class: 'work-bar' }, filesTitle), files),
  );

  function drawChange(change: Change, step: number): HTMLElement {
    const { path, kind, readable } = change;
    const letter = el('span', { class: 'change-kind', 'aria-hidden': 'true' }, kindLetter[kind]);
    const spoken = el('span', { class: 'spoken' }, `${kind}: `);
    const name = readable
      ? linkButton(path, { class: 'link change-path', title: `${path}, ${kind}. Show the difference` }, () =>
          host.post({ type: 'openChange', index: step, path }),
        )
      : el('span', { class: 'dim change-path', title: `${path}, ${kind}: no text, or too large to be recorded` }, path);
    return el('li', { class: `change is-${kind}` }, letter, spoken, name);
  }

  return {
    element,
    update(state, before) {
      const { run } = state;
      element.hidden = run?.view.shows !== 'files';
      if (run === null || element.hidden) return;
      const step = shownStep(state);
      if (run === before.run && step === shownStep(before) && terminal.childElementCount > 0) return;
      note.hidden = run.placement !== 'local';
      fill(terminal, ...(step === null ? [quiet('No step yet.')] : terminalOf(step)));
      terminal.scrollTop = 0;
      const changed = step === null ? undefined : changedAt(run.steps, positionOf(run.steps, step.index));
      const changes = changed?.changes ?? [];
      setText(filesTitle, changes.length === 0 ? 'No changed files' : count(changes.length, 'changed file'));
      fill(files, ...changes.map((change) => drawChange(change, changed?.index ?? 0)));
    },
  };
}

const kindLetter: Readonly<Record<Change['kind'], string>> = { added: 'A', changed: 'M', removed: 'D' };

/** The step that told last, up to there, how the files are. */
function changedAt(steps: readonly PanelStep[], position: number): PanelStep | undefined {
  return steps.slice(0, position + 1).findLast(({ changes }) => changes !== null);
}

function terminalOf(step: PanelStep): readonly Child[] {
  const drawn: Child[] = [];
  if (step.parts.length > 0) drawn.push(drawTests(step.parts));
  for (const { command, output, exitCode, timedOut, durationMs } of step.outputs) {
    const fine = exitCode === 0 && !timedOut;
    const end = timedOut
      ? 'stopped, its time was over'
      : exitCode === null
        ? 'ended by a signal'
        : `exit code ${exitCode}`;
    drawn.push(
      el(
        'div',
        { class: 'command' },
        el('pre', { class: 'command-line' }, el('span', { class: 'dim', 'aria-hidden': 'true' }, '$ '), command),
        output !== '' && el('pre', { class: 'command-output' }, output.replace(/\n$/, '')),
        el(
          'p',
          { class: `command-end tone is-${fine ? 'pass' : 'fail'}` },
          icon(outcomeIcon[fine ? 'pass' : 'fail']),
          end,
          el('span', { class: 'dim' }, ` ${duration(durationMs)}`),
        ),
      ),
    );
  }
  return drawn.length > 0 ? drawn : [quiet('No command ran in this step.')];
}

/** The tests of a report, those that failed first. */
function drawTests(parts: PanelStep['parts']): HTMLElement {
  const passed = parts.filter(({ value }) => value >= 1).length;
  return el(
    'div',
    { class: 'tests' },
    el('p', { class: 'tests-sum' }, `${passed} of ${count(parts.length, 'test')} pass`),
    el(
      'ul',
      { class: 'tests-list', 'aria-label': 'Tests' },
      ...parts.map(({ name, value, reason }) => {
        const outcome = outcomeOf(value, false);
        return el(
          'li',
          { class: `test is-${outcome}` },
          el('span', { class: 'test-sign' }, icon(outcomeIcon[outcome])),
          el('span', { class: 'spoken' }, outcome === 'pass' ? 'passes: ' : 'fails: '),
          el('span', { class: 'test-name' }, name),
          outcome !== 'pass' &&
            el('pre', { class: 'test-reason' }, outcome === 'partial' ? `${score(value)} ${reason}` : reason),
        );
      }),
    ),
  );
}

function quiet(text: string): HTMLElement {
  return el('p', { class: 'quiet' }, text);
}
