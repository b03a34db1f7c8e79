import { fileIn, temporaryFolder } from '../runs/tasks.ts';

const SHOP = `[
  {"id": "buy", "gym": "hud-browser", "prompt": "Buy a lamp.", "setup": ["goto", "shop.html"],
   "evaluate": [{"function": "page_contains", "args": ["Thank you"]}, {"function": "url_match", "args": ["done"]}]},
  {"id": "typo", "gym": "hud-browser", "prompt": "x", "evaluate": {"function": "page_contain", "args": ["x"]}},
  {"id": "ask", "gym": "qa", "prompt": "Capital of France?", "evaluate": ["response_includes", "Paris"]}
]`;

/** A folder with a file of tasks, of which the second one cannot run. */
export async function shop(): Promise<{ cwd: string; file: string }> {
  const cwd = await temporaryFolder();
  return { cwd, file: await fileIn(cwd, 'shop.tasks.json', SHOP) };
}
