import { defineFunction, z } from 'taskwright';

/** 1 when exactly these items are ticked off, less for each one missing. */
export const done_items = defineFunction({
  args: z.tuple([z.array(z.string()).min(1)]),
  async run({ page }, expected) {
    const done = await page.locator('li:has(input:checked)').allInnerTexts();
    const missing = expected.filter((item) => !done.includes(item));
    const surplus = done.filter((item) => !expected.includes(item));
    if (surplus.length > 0) return { value: 0, reason: `ticked off but not asked for: ${surplus.join(', ')}` };
    if (missing.length > 0) {
      return { value: 1 - missing.length / expected.length, reason: `not ticked off: ${missing.join(', ')}` };
    }
    return { value: 1, reason: `ticked off: ${done.join(', ')}` };
  },
});

/** How many items are still to be done. */
export const items_left = defineFunction({
  args: z.tuple([z.number().int().min(0)]),
  async run({ page }, expected) {
    const left = await page.locator('li:has(input:not(:checked))').count();
    return { value: left === expected ? 1 : 0, reason: `${left} left, ${expected} expected` };
  },
});
