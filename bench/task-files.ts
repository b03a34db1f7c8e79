/** Tasks as people write them, the same in each run: ids, prompts, pages, and calls in every spelling. */
export function benchTasks(count: number): Record<string, unknown>[] {
  const random = generator(20_240_604);
  return Array.from({ length: count }, (_, index) => task(index, random));
}

/** One list in one file, as an editor formats it: 10,000 tasks are 4.8 MB. */
export function jsonFile(tasks: readonly unknown[]): string {
  return `${JSON.stringify(tasks, null, 2)}\n`;
}

export function jsonLines(tasks: readonly unknown[]): string {
  return `${tasks.map((value) => JSON.stringify(value)).join('\n')}\n`;
}

/** Short tasks with one call each. */
export function plainTasks(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `task-${index}`,
    prompt: `Find the order number ${index} on the page and say what it costs.`,
    gym: 'hud-browser',
    setup: ['goto', `https://example.com/${index}`],
    evaluate: ['page_contains', `Order ${index}`],
  }));
}

const WORDS = 'open the shop and order two lamps then say which number the order has in your account page'.split(' ');
const THINGS = ['lamp', 'chair', 'table', 'desk', 'shelf', 'sofa'];

function task(index: number, random: () => number): Record<string, unknown> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const words = (least: number, most: number): string =>
    Array.from({ length: least + Math.floor(random() * (most - least)) }, () => pick(WORDS)).join(' ');
  const thing = `${pick(THINGS)}-${index}`;
  return {
    id: `shop-${index}`,
    prompt: `${words(8, 20)} ${thing}.`,
    gym: index % 7 === 0 ? 'qa' : 'hud-browser',
    ...(index % 7 === 0
      ? { evaluate: { function: 'response_includes', args: [`answer ${index}`] } }
      : {
          setup: ['goto', `https://shop.example/items/${thing}`],
          evaluate: [
            { function: 'url_match', args: [`https://shop.example/orders/${index}`] },
            { function: 'element_exists', args: [`#order-${index} .done`] },
          ],
        }),
    metadata: { source: 'bench', level: index % 3 },
  };
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
