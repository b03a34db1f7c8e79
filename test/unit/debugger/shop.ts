import { ServerError } from '../../../src/placement/placement.ts';
import type { Call } from '../../../src/tasks/task.ts';
import { type FakeAnswers, FakePlacement, seen, verdict } from '../runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { Client } from './client.ts';

export const SHOP = `[
  {
    "id": "shop",
    "prompt": "StopLocation the order.",
    "gym": "hud-browser",
    "setup": {"function": "goto", "args": ["shop.html"]},
    "evaluate": [
      {"function": "page_contains", "args": ["Thank you"]},
      {"function": "url_contains", "args": ["/done"]}
    ]
  }
]
`;

/** The page says "Thanks", whatever is done. */
export const page: FakeAnswers = {
  look: ({ links: [question] }) => {
    if (question?.name === 'click') throw new ServerError('not_answered', 'click is not available');
    return question?.name === 'state' ? { url: 'http://task.localhost/', cookies: [{ name: 'cart' }] } : 'Shop';
  },
  step: ({ actions }) =>
    String(actions[0]).includes('#missing')
      ? seen('shop', { error: { code: 'no_element', message: 'no element matches #missing' } })
      : seen('shop', { info: { url: 'http://task.localhost/shop.html', title: 'Shop' } }),
  evaluate: ({ function: name, args }: Call) =>
    name === 'broken'
      ? { error: { code: 'call_threw', message: 'it threw' }, duration_ms: 1 }
      : verdict(['Thanks', '/done'].includes(String(args[0])) ? 1 : 0, `looked for ${args[0]}`),
};

export async function shop(actions = "click('#order')\nclick('#missing')", text = SHOP) {
  const cwd = await temporaryFolder();
  const file = await fileIn(cwd, 'shop.tasks.json', text);
  await fileIn(cwd, 'shop.actions', actions);
  const placement = new FakePlacement(page);
  return { client: new Client({ cwd, placement }), file, task: `${file}#shop`, cwd, placement };
}

/** The first action takes until the test lets it end. */
export async function slow() {
  const made = await shop();
  const acts = { begun: Promise.withResolvers<void>(), ends: Promise.withResolvers<void>() };
  const placement = new FakePlacement({
    ...page,
    step: async () => {
      acts.begun.resolve();
      await acts.ends.promise;
      return seen('shop');
    },
  });
  return { ...made, placement, client: new Client({ cwd: made.cwd, placement }), acts };
}
