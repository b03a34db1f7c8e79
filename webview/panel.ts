import './l10n.ts';
import { announcer } from './announce.ts';
import { curve } from './curve.ts';
import { details } from './details.ts';
import { el, on } from './dom.ts';
import { effects } from './effects.ts';
import { emptyState } from './empty-state.ts';
import { header } from './header.ts';
import { connectHost } from './host.ts';
import { picture } from './picture.ts';
import { stepList } from './steps.ts';
import { empty, positionOf, restore, Store, shownStep } from './store.ts';
import { timeline } from './timeline.ts';
import { registerToolkit } from './toolkit.ts';
import { verdict } from './verdict.ts';
import { oncePerFrame, type Tools } from './view.ts';
import { waitingBar } from './waiting.ts';
import { work } from './work.ts';

registerToolkit();
const host = connectHost();
const store = new Store();
const tools: Tools = { store, host };
const pictureView = picture(tools);
const strip = timeline(tools);
const done = work(tools);
const curveView = curve(tools);
const headerView = header(tools);
const verdictView = verdict(tools);
const waiting = waitingBar(tools);
const list = stepList(tools);
const facts = details(tools);
const emptyView = emptyState();
const liveRegion = announcer();
const lower = el('div', { class: 'lower' }, list.element, facts.element);
const main = el(
  'main',
  { class: 'run' },
  headerView.element,
  verdictView.element,
  waiting.element,
  pictureView.element,
  done.element,
  strip.element,
  curveView.element,
  lower,
);
document.body.append(emptyView.element, main, liveRegion.element);

const views = [
  emptyView,
  headerView,
  verdictView,
  waiting,
  pictureView,
  done,
  strip,
  curveView,
  list,
  facts,
  liveRegion,
];
const runEffects = effects(host);
let current = empty;

function draw(): void {
  const before = current;
  current = store.state;
  main.hidden = current.run === null;
  for (const view of views) view.update(current, before);
  runEffects(current);
}
const drawSoon = oncePerFrame(draw);
store.listen((state, event) => {
  // Report a step that the user selected, but not one that the extension selected.
  const isUserSelection = event.type === 'choose' || (event.type === 'picture' && event.picture === 'live');
  if (isUserSelection) host.post({ type: 'selected', index: state.select });
  drawSoon();
});
document.addEventListener('visibilitychange', () => runEffects(store.state));

/** The left and right arrow keys select steps, unless the focus is in an element with its own arrow keys. */
on(document.body, 'keydown', (event) => {
  const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : undefined;
  const target = event.target instanceof Element ? event.target : null;
  if (by === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (target?.closest('.observation, .raw, .terminal')) return;
  const steps = store.state.run?.steps ?? [];
  const currentStep = shownStep(store.state);
  const to = currentStep && steps[positionOf(steps, currentStep.index) + by];
  if (to) store.dispatch({ type: 'choose', index: to.index });
});

let savedState = host.saved();
host.listen((message) => {
  if (message.type === 'frame') {
    pictureView.receive(message);
    return;
  }
  store.dispatch(message, (state) => {
    if (message.type !== 'run') return state;
    const stateToRestore = savedState;
    savedState = null;
    return restore(state, stateToRestore);
  });
});
draw();
host.post({ type: 'ready' });
