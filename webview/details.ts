import type { PanelStep } from '../src/editor/panel/messages.ts';
import { type Child, el, fill, linkButton, setText } from './dom.ts';
import { icon } from './icons.ts';
import { changedText, changeWords, wholeText } from './observation.ts';
import { type State, shownStep, type Tab } from './store.ts';
import { tabRow } from './tabs.ts';
import type { Tools, View } from './view.ts';
import { count, duration, outcomeIcon, outcomeOf, score, stepOutcome } from './words.ts';

/** Everything about the step that is looked at. */
export function details(tools: Tools): View {
  const { store } = tools;
  const panel = el('div', { class: 'details-panel' });
  const tabs = tabRow<Tab>(
    'Details',
    { step: 'Step', observation: 'Observation', console: 'Console', raw: 'Raw' },
    panel,
    (tab) => store.dispatch({ type: 'tab', tab }),
  );
  const badge = el('span', { class: 'count', 'aria-hidden': 'true' });
  const spoken = el('span', { class: 'spoken' });
  tabs.buttons.console.append(badge, spoken);
  const element = el('section', { class: 'details', 'aria-label': 'Details' }, tabs.element, panel);

  return {
    element,
    update(state, before) {
      const step = shownStep(state);
      tabs.show(state.tab);
      const messages = step?.messages.length ?? 0;
      setText(badge, String(messages));
      setText(spoken, messages === 0 ? '' : count(messages, 'message'));
      badge.hidden = messages === 0;
      const stepBefore = shownStep(before);
      const unchanged =
        step === stepBefore &&
        state.tab === before.tab &&
        (state.run === null) === (before.run === null) &&
        (step === null || answer(state, step.index) === answer(before, step.index)) &&
        (state.tab !== 'console' || state.run?.steps === before.run?.steps);
      if (unchanged && panel.childElementCount > 0) return;
      fill(panel, ...(step === null ? [quiet('No step yet.')] : bodies[state.tab](step, state, tools)));
      if (step?.index !== stepBefore?.index || state.tab !== before.tab) panel.scrollTop = 0;
    },
  };
}

/** What the host answered about a step, as far as the open tab needs it. */
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
      'call',
      el('code', {}, call.text),
      ' ',
      call.line !== null &&
        linkButton(`line ${call.line}`, { title: 'Show the call in the task file' }, () =>
          host.post({ type: 'reveal', index: step.index }),
        ),
    );
  }
  if (step.acted.length > 0) {
    fact('action', ...step.acted.map((acted) => el('code', { class: 'block' }, acted.action)));
    const touched = step.acted.filter((acted) => acted.element !== undefined);
    fact(
      'element',
      ...touched.map((acted) =>
        el(
          'span',
          { class: 'block' },
          acted.element,
          acted.bid !== undefined && el('span', { class: 'dim' }, ` [bid ${acted.bid}]`),
        ),
      ),
    );
    fact('text', ...step.acted.map((acted) => acted.text && el('span', { class: 'block quoted' }, acted.text)));
    fact('ignored', ...step.acted.map((acted) => acted.ignored && el('span', { class: 'block' }, acted.ignored)));
  } else if (call === null) fact('action', el('code', {}, `${step.verb} ${step.object}`.trim()));

  if (step.error !== null) fact('error', el('span', { class: 'is-error tone' }, icon('error'), step.error));
  if (outcome !== null) {
    fact(
      'value',
      el(
        'span',
        { class: `is-${outcome} tone` },
        icon(outcomeIcon[outcome]),
        step.value === null ? 'none' : score(step.value),
      ),
    );
  } else if (step.value !== null)
    fact('reward', score(step.value), el('span', { class: 'dim' }, ' of the environment'));
  fact('reason', step.reason);
  // A coding run has them beside its terminal.
  if (state.run?.view.shows !== 'files') fact('parts', ...step.parts.map(drawPart));
  fact('took', duration(step.durationMs), tookParts(step));
  fact('windows', ...(step.windows ?? []).map(drawWindow));
  fact('page', step.title);
  fact('address', step.url !== null && el('span', { class: 'address' }, step.url));
  fact('ends', step.terminated && 'the environment ended the run here');

  const text = state.texts.get(step.index);
  if (text) fact('changed', changeWords(text));
  const snippet = text ? changedText(text) : null;
  return [
    facts,
    snippet,
    snippet !== null &&
      linkButton('Show the whole observation', { class: 'link more' }, () =>
        store.dispatch({ type: 'tab', tab: 'observation' }),
      ),
  ];
}

/** One of several findings that a verdict is made of. */
function drawPart({ name, value, reason }: PanelStep['parts'][number]): HTMLElement {
  const outcome = outcomeOf(value, false);
  return el(
    'span',
    { class: 'block' },
    el('span', { class: `is-${outcome} tone` }, icon(outcomeIcon[outcome]), score(value)),
    ` ${name}`,
    reason !== '' && el('span', { class: 'dim' }, ` ${reason}`),
  );
}

/** A window of the desktop: its title, then what it is. */
function drawWindow({ title, app, active, box }: NonNullable<PanelStep['windows']>[number]): HTMLElement {
  return el(
    'span',
    { class: 'block' },
    title === '' ? app : title,
    el(
      'span',
      { class: 'dim' },
      ` ${title === '' ? '' : `${app}, `}${box.width} × ${box.height}${active ? ', active' : ''}`,
    ),
  );
}

function tookParts(step: PanelStep): Child {
  if (step.timing === null) return null;
  const parts = Object.entries(step.timing)
    .filter(([, ms]) => ms >= 0.5)
    .map(([name, ms]) => `${name} ${Math.round(ms)}`);
  return parts.length > 0 && el('span', { class: 'dim' }, ` ${parts.join(' · ')}`);
}

function observationBody(step: PanelStep, state: State): readonly Child[] {
  if (!step.hasText) return [quiet('This step recorded no observation text.')];
  const text = state.texts.get(step.index);
  if (text === undefined) return [quiet('Reading…')];
  return [text.text === null ? quiet('The text is missing from the recording.') : wholeText(text)];
}

function consoleBody(step: PanelStep, state: State, { store }: Tools): readonly Child[] {
  const others = (state.run?.steps ?? [])
    .map((other, position) => ({ other, position }))
    .filter(({ other }) => other.messages.length > 0 && other !== step);
  const shown = others.slice(0, 12);
  return [
    step.messages.length === 0
      ? quiet('Nothing was said in this step.')
      : el('ul', { class: 'messages' }, ...step.messages.map(drawMessage)),
    shown.length > 0 &&
      el(
        'p',
        { class: 'quiet' },
        'Messages in other steps: ',
        ...shown.flatMap(({ other, position }, at) => [
          at > 0 ? ', ' : null,
          linkButton(`step ${position + 1}`, { title: count(other.messages.length, 'message') }, () =>
            store.dispatch({ type: 'choose', index: other.index }),
          ),
        ]),
        others.length > shown.length && ` and ${others.length - shown.length} more`,
      ),
  ];
}

function drawMessage(message: PanelStep['messages'][number]): HTMLElement {
  const grave = message.kind === 'error' || message.kind === 'exception' || message.kind === 'request';
  const tone = grave ? 'error' : message.kind === 'warning' ? 'warning' : 'plain';
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
  if (json === undefined) return [quiet('Reading…')];
  return [
    el('pre', { class: 'raw', tabindex: 0, 'aria-label': 'The step as recorded' }, JSON.stringify(json, null, 2)),
  ];
}

function quiet(text: string): HTMLElement {
  return el('p', { class: 'quiet' }, text);
}
