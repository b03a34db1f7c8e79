import * as vscode from 'vscode';
import { inSlices, type Work } from '../../tasks/slices.ts';
import { Debouncer } from '../lifecycle.ts';
import type { VerdictKind } from '../runs/verdict.ts';
import { parseFilter, stateOf, TASK_STATES, type TaskState, tagTerm, termsOf, toggled } from './filter.ts';
import { count, type Root } from './model.ts';
import { taskKey } from './reference.ts';
import type { TaskTree } from './tree.ts';

/** The tree follows what is typed after so many milliseconds of quiet. */
const TYPED_MS = 80;
/** More tags than this are found by typing them. */
const MOST_TAGS = 30;

const WORDS: Readonly<Record<TaskState, string>> = {
  failed: 'the last run did not pass',
  passed: 'the last run passed',
  'never-run': 'no run yet',
  running: 'runs now',
  stopped: 'the last run was stopped, or broke off',
};

interface Term extends vscode.QuickPickItem {
  /** Null: keep the filter as it is. */
  readonly term: string | null;
}

/** Asks which tasks the tree should show; it follows each keystroke. Escape brings back what was. */
export async function askFilter(tree: TaskTree, kindOf: (key: string) => VerdictKind): Promise<void> {
  const before = tree.filter;
  const pick = vscode.window.createQuickPick<Term>();
  pick.title = 'Filter Tasks';
  pick.placeholder = 'Words of the id or the prompt, @failed, @never-run, @tag:name';
  pick.value = before;
  let terms: readonly Term[] = [];
  const draw = async (): Promise<void> => {
    const { value } = pick;
    const shown = await tree.setFilter(value);
    if (pick.value !== value) return;
    const chosen = new Set(termsOf(value));
    const label = parseFilter(value) === null ? 'Show All Tasks' : `Show ${count(shown, 'Task')}`;
    const first: Term = { label: `$(check) ${label}`, alwaysShow: true, term: null };
    const rest = terms.map((one) => ({
      ...one,
      label: `$(${chosen.has(one.term ?? '') ? 'close' : 'filter'}) ${one.label}`,
    }));
    pick.items = [first, { label: '', kind: vscode.QuickPickItemKind.Separator, term: null }, ...rest];
    pick.activeItems = [first];
  };
  const typed = new Debouncer(TYPED_MS, draw);
  const ended = new Promise<boolean>((resolve) => {
    pick.onDidChangeValue(() => typed.schedule());
    pick.onDidAccept(() => {
      const term = pick.activeItems[0]?.term ?? null;
      if (term === null) resolve(true);
      else {
        pick.value = toggled(pick.value, term);
        void draw();
      }
    });
    pick.onDidHide(() => resolve(false));
  });
  pick.show();
  pick.busy = true;
  void draw();
  // A tag of ten thousand tasks is not known at once.
  void termsToOffer(tree, kindOf).then((found) => {
    terms = found;
    pick.busy = false;
    void draw();
  });
  const kept = await ended;
  typed.dispose();
  await tree.setFilter(kept ? pick.value : before);
  pick.dispose();
}

async function termsToOffer(tree: TaskTree, kindOf: (key: string) => VerdictKind): Promise<readonly Term[]> {
  const { states, tags } = await inSlices(counted(await tree.roots(), kindOf));
  const ofStates = TASK_STATES.filter((state) => states.has(state)).map((state) => ({
    term: `@${state}`,
    label: `@${state}`,
    description: `${WORDS[state]} · ${states.get(state)}`,
    alwaysShow: true,
  }));
  const ofTags = [...tags]
    .sort(([a, of], [b, other]) => other - of || a.localeCompare(b))
    .slice(0, MOST_TAGS)
    .map(([tag, tasks]) => ({
      term: tagTerm(tag),
      label: tagTerm(tag),
      description: count(tasks, 'task'),
      alwaysShow: true,
    }));
  return [...ofStates, ...ofTags];
}

function* counted(
  roots: readonly Root[],
  kindOf: (key: string) => VerdictKind,
): Work<{ readonly states: Map<TaskState, number>; readonly tags: Map<string, number> }> {
  const states = new Map<TaskState, number>();
  const tags = new Map<string, number>();
  for (const { tasks } of roots.flatMap(({ files }) => files)) {
    for (let index = 0; index < tasks.length; index += 1) {
      const task = tasks.at(index);
      if (task === undefined) continue;
      const state = stateOf(kindOf(taskKey(task)));
      states.set(state, (states.get(state) ?? 0) + 1);
      for (const tag of task.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
      yield;
    }
  }
  return { states, tags };
}
