import * as l10n from '@vscode/l10n';
import type { PanelStep } from '../src/presentation/runs/messages.ts';
import { formatReward } from '../src/results/reward.ts';
import { withCodeSpans } from './code-spans.ts';
import { type Child, el, fill, linkButton, setText } from './dom.ts';
import { icon } from './icons.ts';
import { changedText, changeSummary, wholeText } from './observation.ts';
import { observedData } from './observed-data.ts';
import { drawPart } from './part.ts';
import { stepName, stepNumbers } from './step-numbers.ts';
import { positionOf, type State, shownStep, type Tab } from './store.ts';
import { tabRow } from './tabs.ts';
import type { Tools, View } from './view.ts';
import { duration, messageCount, outcomeIcon, stepOutcome } from './words.ts';

/** All details of the shown step. */
export function details(tools: Tools): View {
  const { store } = tools;
  const panel = el('div', { class: 'details-panel' });
  const tabs = tabRow<Tab>(
    'details',
    l10n.t('Details'),
    { step: l10n.t('Step'), observation: l10n.t('Observation'), console: l10n.t('Console'), raw: l10n.t('Raw') },
    panel,
    (tab) => store.dispatch({ type: 'tab', tab }),
  );
  const badge = el('span', { class: 'count', 'aria-hidden': 'true' });
  const messageCountText = el('span', { class: 'visually-hidden' });
  tabs.buttons.console.append(badge, messageCountText);
  const element = el('section', { class: 'details', 'aria-label': l10n.t('Details') }, tabs.element, panel);

  return {
    element,
    update(state, before) {
      const step = shownStep(state);
      tabs.show(state.tab);
      const messages = step?.messages.length ?? 0;
      setText(badge, String(messages));
      setText(messageCountText, messages === 0 ? '' : messageCount(messages));
      badge.hidden = messages === 0;
      const stepBefore = shownStep(before);
      const isUnchanged =
        step === stepBefore &&
        state.tab === before.tab &&
        (state.run === null) === (before.run === null) &&
        (step === null || answer(state, step.index) === answer(before, step.index)) &&
        (state.tab !== 'console' || state.run?.steps === before.run?.steps);
      if (isUnchanged && panel.childElementCount > 0) return;
      fill(panel, ...(step === null ? [quiet(l10n.t('No steps yet.'))] : bodies[state.tab](step, state, tools)));
      if (step?.index !== stepBefore?.index || state.tab !== before.tab) panel.scrollTop = 0;
    },
  };
}

/** The data of a step that the open tab shows. */
function answer(state: State, index: number): unknown {
  return state.tab === 'raw' ? state.raws.get(index) : state.texts.get(index);
}

const bodies: Readonly<Record<Tab, (step: PanelStep, state: State, tools: Tools) => readonly Child[]>> = {
  step: stepBody,
  observation: observationBody,
  console: consoleBody,
  raw: rawBody,
};

function stepBody(step: PanelStep, state: State, { store, host }: Tools): readonly Child[] {
  const facts = el('dl', { class: 'facts' });
  function fact(name: string, ...values: readonly Child[]): void {
    if (values.every((value) => value === null || value === false || value === '' || value === undefined)) return;
    facts.append(el('dt', {}, name), el('dd', {}, ...values));
  }
  const outcome = stepOutcome(step);
  const { call } = step;
  if (call !== null) {
    fact(
      l10n.t('call'),
      el('code', {}, call.text),
      ' ',
      call.line !== null &&
        linkButton(l10n.t('line {0}', call.line), { title: l10n.t('Show the call in the task file') }, () =>
          host.post({ type: 'reveal', index: step.index }),
        ),
    );
  }
  const { turn, part } = step;
  const results = turn === undefined ? [] : resultsOf(step, state);
  if (turn !== undefined) {
    fact(l10n.t('reasoning'), turn.reasoning !== null && el('span', { class: 'block quoted' }, turn.reasoning));
    fact(l10n.t('message'), turn.message !== null && el('span', { class: 'block quoted' }, turn.message));
    fact(
      l10n.t('tools'),
      ...turn.calls.map(({ name, arguments: args }, at) => {
        const result = results[at];
        return el(
          'span',
          { class: 'block' },
          el('code', {}, `${name} ${args}`),
          result !== undefined && ' ',
          result !== undefined &&
            linkButton(result.object, { title: l10n.t('Show the result') }, () =>
              store.dispatch({ type: 'choose', index: result.index }),
            ),
        );
      }),
    );
  }
  if (step.acted.length > 0) {
    fact(l10n.t('action'), ...step.acted.map((acted) => el('code', { class: 'block' }, acted.action)));
    const withElement = step.acted.filter((acted) => acted.element !== undefined);
    fact(
      l10n.t('element'),
      ...withElement.map((acted) =>
        el(
          'span',
          { class: 'block' },
          acted.element,
          acted.bid !== undefined && el('span', { class: 'dim' }, ` [bid ${acted.bid}]`),
        ),
      ),
    );
    fact(l10n.t('text'), ...step.acted.map((acted) => acted.text && el('span', { class: 'block quoted' }, acted.text)));
    fact(
      l10n.t('ignored'),
      ...step.acted.map((acted) => acted.ignored && el('span', { class: 'block' }, acted.ignored)),
    );
  } else if (
    call === null &&
    part === undefined &&
    (turn === undefined || (turn.calls.length === 0 && step.verb !== 'message'))
  )
    fact(l10n.t('action'), el('code', {}, `${step.verb} ${step.object}`.trim()));

  const downloads = step.messages.filter(({ kind }) => kind === 'download');
  fact(l10n.t('downloads'), ...downloads.map(({ text }) => el('span', { class: 'block' }, text)));
  if (step.dialog !== undefined)
    fact(l10n.t('open dialog'), `${step.dialog.type}: `, el('span', { class: 'quoted' }, step.dialog.message));
  if (step.error !== null)
    fact(
      l10n.t('error'),
      el('span', { class: 'is-error tone' }, icon('error'), el('span', {}, ...withCodeSpans(step.error))),
    );
  if (outcome !== null) {
    fact(
      l10n.t('value'),
      el(
        'span',
        { class: `is-${outcome} tone` },
        icon(outcomeIcon[outcome]),
        step.value === null ? l10n.t('none') : formatReward(step.value),
      ),
    );
  } else if (step.value !== null)
    fact(
      l10n.t('reward'),
      formatReward(step.value),
      el('span', { class: 'dim' }, ` ${l10n.t('from the environment')}`),
    );
  if (step.reason !== step.error) fact(l10n.t('reason'), ...withCodeSpans(step.reason ?? ''));
  // A coding run shows them with its terminal output.
  if (state.run?.view.shows !== 'files') fact(l10n.t('parts'), ...step.parts.map(drawPart));
  const usage = turn?.usage ?? [];
  fact(l10n.t('model'), turn?.model, usage.length > 0 && el('span', { class: 'dim' }, ` ${usage.join(' · ')}`));
  fact(l10n.t('citations'), ...(turn?.citations ?? []).map((one) => el('span', { class: 'block' }, one)));
  fact(l10n.t('duration'), duration(step.durationMs), durationParts(step));
  fact(l10n.t('windows'), ...(step.windows ?? []).map(drawWindow));
  fact(l10n.t('page'), step.title);
  fact(l10n.t('URL'), step.url !== null && el('span', { class: 'address' }, step.url));
  fact(l10n.t('end'), step.terminated && l10n.t('the environment ended the run'));

  const text = state.texts.get(step.index);
  if (part !== undefined) {
    const name = { tool: l10n.t('result'), subagent: l10n.t('answer'), prompt: l10n.t('prompt') }[part];
    if (part === 'tool') fact(l10n.t('tool'), el('code', {}, step.verb));
    fact(name, text?.text != null && el('span', { class: 'block quoted' }, text.text));
    return [facts];
  }
  if (text) fact(l10n.t('changed'), changeSummary(text));
  const snippet = text ? changedText(text) : null;
  return [
    facts,
    snippet,
    snippet !== null &&
      linkButton(l10n.t('Show the full observation'), { class: 'link more' }, () =>
        store.dispatch({ type: 'tab', tab: 'observation' }),
      ),
  ];
}

/** The lines with the results of the tools that an answer calls, which follow it. */
function resultsOf(step: PanelStep, state: State): readonly PanelStep[] {
  const steps = state.run?.steps ?? [];
  const after = steps.slice(positionOf(steps, step.index) + 1);
  const end = after.findIndex(({ part, depth }) => part !== 'tool' || depth !== step.depth);
  return end < 0 ? after : after.slice(0, end);
}

/** A window of the desktop: title, application, and size. */
function drawWindow({ title, app, active, box }: NonNullable<PanelStep['windows']>[number]): HTMLElement {
  return el(
    'span',
    { class: 'block' },
    title === '' ? app : title,
    el(
      'span',
      { class: 'dim' },
      ` ${title === '' ? '' : `${app}, `}${box.width} × ${box.height}${active ? `, ${l10n.t('active')}` : ''}`,
    ),
  );
}

function durationParts(step: PanelStep): Child {
  if (step.timing === null) return null;
  const parts = Object.entries(step.timing)
    .filter(([, ms]) => ms >= 0.5)
    .map(([name, ms]) => `${name} ${Math.round(ms)}`);
  return parts.length > 0 && el('span', { class: 'dim' }, ` ${parts.join(' · ')}`);
}

function observationBody(step: PanelStep, state: State): readonly Child[] {
  if (!step.hasText) return [quiet(l10n.t('This step has no observation text.'))];
  const text = state.texts.get(step.index);
  if (text === undefined) return [quiet(l10n.t('Loading…'))];
  if (text.data !== null) return [observedData(text.data, text.dataBefore)];
  return [text.text === null ? quiet(l10n.t('The text is missing from the recording.')) : wholeText(text)];
}

function consoleBody(step: PanelStep, state: State, { store }: Tools): readonly Child[] {
  const otherSteps = (state.run?.steps ?? [])
    .map((other, position) => ({ other, position }))
    .filter(({ other }) => other.messages.length > 0 && other !== step);
  const visibleSteps = otherSteps.slice(0, 12);
  return [
    step.messages.length === 0
      ? quiet(l10n.t('No console messages in this step.'))
      : el('ul', { class: 'messages' }, ...step.messages.map(drawMessage)),
    visibleSteps.length > 0 &&
      el(
        'p',
        { class: 'quiet' },
        `${l10n.t('Messages in other steps:')} `,
        ...visibleSteps.flatMap(({ other, position }, at) => [
          at > 0 ? ', ' : null,
          linkButton(nameAt(state, position), { title: messageCount(other.messages.length) }, () =>
            store.dispatch({ type: 'choose', index: other.index }),
          ),
        ]),
        otherSteps.length > visibleSteps.length &&
          ` ${l10n.t('and {0} more', otherSteps.length - visibleSteps.length)}`,
      ),
  ];
}

function nameAt(state: State, position: number): string {
  const number = stepNumbers(state.run?.steps ?? [])[position];
  return number === undefined ? '' : stepName(number);
}

function drawMessage(message: PanelStep['messages'][number]): HTMLElement {
  const isError = message.kind === 'error' || message.kind === 'exception' || message.kind === 'request';
  const tone = isError ? 'error' : message.kind === 'warning' ? 'warning' : 'plain';
  return el(
    'li',
    { class: `message is-${tone}` },
    el('span', { class: 'message-kind' }, message.kind),
    el('span', { class: 'message-text' }, message.text),
    message.location !== undefined && el('span', { class: 'dim message-location' }, message.location),
  );
}

function rawBody(step: PanelStep, state: State): readonly Child[] {
  const json = state.raws.get(step.index);
  if (json === undefined) return [quiet(l10n.t('Loading…'))];
  return [
    el('pre', { class: 'raw', tabindex: 0, 'aria-label': l10n.t('The recorded step') }, JSON.stringify(json, null, 2)),
  ];
}

function quiet(text: string): HTMLElement {
  return el('p', { class: 'quiet' }, text);
}
