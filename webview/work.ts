import * as l10n from '@vscode/l10n';
import { plural } from '../src/presentation/plural.ts';
import type { PanelStep } from '../src/presentation/runs/messages.ts';
import { formatReward } from '../src/results/reward.ts';
import { terminalText } from './ansi.ts';
import { type Child, el, fill, linkButton, setText } from './dom.ts';
import { icon } from './icons.ts';
import { positionOf, shownStep } from './store.ts';
import type { Tools, View } from './view.ts';
import { duration, outcomeIcon, outcomeOf } from './words.ts';

type Change = NonNullable<PanelStep['changes']>[number];

/** Replaces the screenshot of a coding run: terminal output, tests, and changed files of the step. */
export function work({ host }: Tools): View {
  const terminal = el('div', { class: 'terminal', tabindex: 0, role: 'group', 'aria-label': l10n.t('Terminal') });
  const files = el('ul', { class: 'changes', 'aria-label': l10n.t('Changed files') });
  const filesTitle = el('h2', { class: 'work-title' });
  const note = el(
    'span',
    { class: 'dim work-note', title: l10n.t('The commands of this run have the permissions of your user account.') },
    l10n.t('on this machine, no sandbox'),
  );
  const element = el(
    'section',
    { class: 'work', 'aria-label': l10n.t('Workspace') },
    el(
      'div',
      { class: 'work-part' },
      el('div', { class: 'work-bar' }, el('h2', { class: 'work-title' }, l10n.t('Terminal')), note),
      terminal,
    ),
    el('div', { class: 'work-part' }, el('div', { class: 'work-bar' }, filesTitle), files),
  );

  function drawChange(change: Change, step: number): HTMLElement {
    const { path, kind, readable, note } = change;
    const letter = el('span', { class: 'change-kind', 'aria-hidden': 'true' }, kindLetter[kind]);
    const hiddenText = el('span', { class: 'visually-hidden' }, `${changeKinds[kind]}: `);
    const name = readable
      ? linkButton(
          path,
          { class: 'link change-path', title: l10n.t('{0}, {1}. Show Diff', path, changeKinds[kind]) },
          () => host.post({ type: 'openChange', index: step, path }),
        )
      : el(
          'span',
          {
            class: 'dim change-path',
            title:
              kind === 'changed' && note !== undefined
                ? `${path}, ${note}`
                : l10n.t('{0}, {1}. Binary or too large to record', path, changeKinds[kind]),
          },
          path,
        );
    const noteText = note !== undefined && el('span', { class: 'dim change-mode' }, note);
    return el('li', { class: `change is-${kind}` }, letter, hiddenText, name, noteText);
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
      fill(terminal, ...(step === null ? [quiet(l10n.t('No steps yet.'))] : terminalOf(step)));
      terminal.scrollTop = 0;
      const reportingStep = step === null ? undefined : changedAt(run.steps, positionOf(run.steps, step.index));
      const changes = reportingStep?.changes ?? [];
      const { length } = changes;
      setText(
        filesTitle,
        length === 0
          ? l10n.t('No changed files')
          : plural(length, l10n.t('1 changed file'), l10n.t('{0} changed files', length)),
      );
      fill(files, ...changes.map((change) => drawChange(change, reportingStep?.index ?? 0)));
    },
  };
}

const kindLetter: Readonly<Record<Change['kind'], string>> = { added: 'A', changed: 'M', removed: 'D' };

const changeKinds: Readonly<Record<Change['kind'], string>> = {
  added: l10n.t('added'),
  changed: l10n.t('changed'),
  removed: l10n.t('removed'),
};

/** The last step up to a position that reports the changed files. */
function changedAt(steps: readonly PanelStep[], position: number): PanelStep | undefined {
  return steps.slice(0, position + 1).findLast(({ changes }) => changes !== null);
}

function terminalOf(step: PanelStep): readonly Child[] {
  const blocks: Child[] = [];
  if (step.parts.length > 0) blocks.push(drawTests(step.parts));
  for (const { command, output, exitCode, timedOut, durationMs } of step.outputs) {
    const isSuccessful = exitCode === 0 && !timedOut;
    const end = timedOut
      ? l10n.t('timed out')
      : exitCode === null
        ? l10n.t('ended by a signal')
        : l10n.t('exit code {0}', exitCode);
    blocks.push(
      el(
        'div',
        { class: 'command' },
        el('pre', { class: 'command-line' }, el('span', { class: 'dim', 'aria-hidden': 'true' }, '$ '), command),
        output !== '' && el('pre', { class: 'command-output' }, ...terminalText(output.replace(/\n$/, ''))),
        el(
          'p',
          { class: `command-end tone is-${isSuccessful ? 'pass' : 'fail'}` },
          icon(outcomeIcon[isSuccessful ? 'pass' : 'fail']),
          end,
          el('span', { class: 'dim' }, ` ${duration(durationMs)}`),
        ),
      ),
    );
  }
  return blocks.length > 0 ? blocks : [quiet(l10n.t('No command ran in this step.'))];
}

/** The tests of a report, failed ones first. */
function drawTests(parts: PanelStep['parts']): HTMLElement {
  const passCount = parts.filter(({ value }) => value >= 1).length;
  return el(
    'div',
    { class: 'tests' },
    el('p', { class: 'tests-sum' }, l10n.t('{0} of {1} tests passed', passCount, parts.length)),
    el(
      'ul',
      { class: 'tests-list', 'aria-label': l10n.t('Tests') },
      ...parts.map(({ name, value, reason }) => {
        const outcome = outcomeOf(value, false);
        return el(
          'li',
          { class: `test is-${outcome}` },
          el('span', { class: 'test-sign' }, icon(outcomeIcon[outcome])),
          el('span', { class: 'visually-hidden' }, `${outcome === 'pass' ? l10n.t('passed') : l10n.t('failed')}: `),
          el('span', { class: 'test-name' }, name),
          outcome !== 'pass' &&
            el('pre', { class: 'test-reason' }, outcome === 'partial' ? `${formatReward(value)} ${reason}` : reason),
        );
      }),
    ),
  );
}

function quiet(text: string): HTMLElement {
  return el('p', { class: 'quiet' }, text);
}
