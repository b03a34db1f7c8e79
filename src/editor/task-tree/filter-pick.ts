import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inSlices, type Work } from '../../base/slices.ts';
import { plural } from '../../presentation/plural.ts';
import type { VerdictKind } from '../../presentation/runs/verdict.ts';
import {
  parseFilter,
  stateOf,
  TASK_STATES,
  type TaskState,
  tagTerm,
  termsOf,
  toggleTerm,
} from '../../presentation/tasks/filter.ts';
import { eachTask, type Root, taskCount } from '../../presentation/tasks/model.ts';
import { taskKey } from '../../presentation/tasks/reference.ts';
import { Debouncer } from '../lifecycle.ts';
import type { TaskTree } from './tree.ts';

/** Milliseconds after the last keystroke until the tree is filtered. */
const TYPED_MS = 80;
/** Number of tags offered; others can be typed. */
const MAX_TAGS = 30;

const WORDS: Readonly<Record<TaskState, string>> = {
  failed: l10n.t('last run did not pass'),
  passed: l10n.t('last run passed'),
  'never-run': l10n.t('no runs'),
  running: l10n.t('running now'),
  stopped: l10n.t('last run was stopped or interrupted'),
};

interface Term extends vscode.QuickPickItem {
  /** Null accepts the filter as it is. */
  readonly term: string | null;
}

/** Asks for a filter and applies it while the user types. Escape restores the previous filter. */
export async function askFilter(tree: TaskTree, kindOf: (key: string) => VerdictKind): Promise<void> {
  const before = tree.filter;
  const pick = vscode.window.createQuickPick<Term>();
  pick.title = l10n.t('Filter Tasks');
  pick.placeholder = l10n.t('Text in the id, prompt, or file name, @failed, @never-run, @tag:name');
  pick.value = before;
  let terms: readonly Term[] = [];
  const draw = async (): Promise<void> => {
    const { value } = pick;
    const matchCount = await tree.setFilter(value);
    if (pick.value !== value) return;
    const activeTerms = new Set(termsOf(value));
    const label =
      parseFilter(value) === null
        ? l10n.t('Show All Tasks')
        : plural(matchCount, l10n.t('Show 1 Task'), l10n.t('Show {0} Tasks', matchCount));
    const first: Term = { label: `$(check) ${label}`, alwaysShow: true, term: null };
    const rest = terms.map((one) => ({
      ...one,
      label: `$(${activeTerms.has(one.term ?? '') ? 'close' : 'filter'}) ${one.label}`,
    }));
    pick.items = [first, { label: '', kind: vscode.QuickPickItemKind.Separator, term: null }, ...rest];
    pick.activeItems = [first];
  };
  const redraw = new Debouncer(TYPED_MS, draw);
  const acceptance = new Promise<boolean>((resolve) => {
    pick.onDidChangeValue(() => redraw.schedule());
    pick.onDidAccept(() => {
      const term = pick.activeItems[0]?.term ?? null;
      if (term === null) resolve(true);
      else {
        pick.value = toggleTerm(pick.value, term);
        void draw();
      }
    });
    pick.onDidHide(() => resolve(false));
  });
  pick.show();
  pick.busy = true;
  void draw();
  // Collecting the tags of thousands of tasks takes a while.
  void termsToOffer(tree, kindOf).then((offeredTerms) => {
    terms = offeredTerms;
    pick.busy = false;
    void draw();
  });
  const isAccepted = await acceptance;
  redraw.dispose();
  await tree.setFilter(isAccepted ? pick.value : before);
  pick.dispose();
}

async function termsToOffer(tree: TaskTree, kindOf: (key: string) => VerdictKind): Promise<readonly Term[]> {
  const { states, tags } = await inSlices(countTerms(await tree.roots(), kindOf));
  const toItem = (term: string, description: string): Term => ({ term, label: term, description, alwaysShow: true });
  const ofStates = TASK_STATES.filter((state) => states.has(state)).map((state) =>
    toItem(`@${state}`, `${WORDS[state]} · ${states.get(state)}`),
  );
  const ofTags = [...tags]
    .sort(([a, of], [b, other]) => other - of || a.localeCompare(b))
    .slice(0, MAX_TAGS)
    .map(([tag, tasks]) => toItem(tagTerm(tag), taskCount(tasks)));
  return [...ofStates, ...ofTags];
}

function* countTerms(
  roots: readonly Root[],
  kindOf: (key: string) => VerdictKind,
): Work<{ readonly states: Map<TaskState, number>; readonly tags: Map<string, number> }> {
  const states = new Map<TaskState, number>();
  const tags = new Map<string, number>();
  for (const { tasks } of roots.flatMap(({ files }) => files)) {
    for (const task of eachTask(tasks)) {
      const state = stateOf(kindOf(taskKey(task)));
      states.set(state, (states.get(state) ?? 0) + 1);
      for (const tag of task.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
      yield;
    }
  }
  return { states, tags };
}
