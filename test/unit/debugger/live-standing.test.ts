import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runRecordSchema } from '../../../src/traces/trace.ts';
import { Client } from './client.ts';
import { SHOP, shop } from './shop.ts';

/** The record of the only run that was made in a folder. */
async function recordIn(cwd: string) {
  const jobs = join(cwd, '.taskwright', 'jobs');
  const path = (await readdir(jobs, { recursive: true })).find((name) => basename(name) === 'run.json') ?? '';
  return runRecordSchema.parse(JSON.parse(await readFile(join(jobs, path), 'utf8')));
}

describe('a stopped live run', () => {
  it('runs all functions in the console, and only evaluate functions on hover', async () => {
    const { client, file, task, placement } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    expect(await client.ask('page_contains("Thanks")')).toBe('1 (looked for Thanks)');
    expect(await client.ask("page_contains('Thanks') == 1 and url in ['http://task.localhost/shop.html']")).toBe(
      'true',
    );
    expect(await client.ask('args[0]', 'watch')).toBe('"Thank you"');
    expect(await client.ask('await page_contains("Thanks")')).toBe('1 (looked for Thanks)');
    expect(await client.ask('await page.title() == "Shop" and not await page_contains("nothing")')).toBe('true');
    expect(await client.ask('url_contains("/x")', 'hover')).toBe('0 (looked for /x)');
    await expect(client.ask('goto("x")', 'hover')).rejects.toThrow('goto can only be called in the debug console.');
    await expect(client.ask('mine()', 'watch')).rejects.toThrow('mine can only be called in the debug console.');
    await expect(client.ask('broken()')).rejects.toThrow('it threw');
    expect(await client.ask('goto("other.html")')).toBe('done');
    expect(placement.requests.at(-1)).toMatchObject({ params: { call: { function: 'goto', args: ['other.html'] } } });
    const { targets } = (await client.completionsRequest({ text: 'page_c', column: 7, frameId: 1 })).body;
    expect(targets).toMatchObject([{ text: 'page_contains(', start: 0, length: 6 }]);
  });

  it('shows the current page with cookies and storage, and answers read-only queries', async () => {
    const { client, file, task } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    const state = await client.scope('State');
    expect(state.map(({ name, value }) => [name, value])).toEqual([
      ['response', 'null'],
      ['observation', expect.stringContaining('"text":"shop"')],
      ['actions', `["click('#order')","click('#missing')"]`],
      ['messages', '[]'],
    ]);
    const shown = await client.scope('Page');
    expect(shown.map(({ name, value, evaluateName }) => [name, value, evaluateName])).toEqual([
      ['url', '"http://task.localhost/"', 'page.url()'],
      ['cookies', '[{"name":"cart"}]', 'page.cookies()'],
    ]);
    for (const context of ['repl', 'hover', 'watch']) {
      expect(await client.ask('page.title() == "Shop"', context)).toBe('true');
    }
    await expect(client.ask('page.click("#order")')).rejects.toThrow('click is not available');
    const { targets } = (await client.completionsRequest({ text: 'page.co', column: 8, frameId: 1 })).body;
    expect(targets.map(({ label }) => label)).toEqual(['page.cookies()', 'page.content()']);
  });

  it('accepts changes of arguments and of the response before a call', async () => {
    const { client, file, task, placement } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    const args = (await client.scope('Call')).find(({ name }) => name === 'args');
    const argument = { variablesReference: args?.variablesReference ?? 0, name: '0' };
    await expect(client.setVariableRequest({ ...argument, value: 'Thanks' })).rejects.toThrow('is not a value');
    await client.setVariableRequest({ ...argument, value: '"Thanks"' });
    await client.customRequest('setExpression', { expression: 'response', value: 'It is done' });
    expect((await client.scope('State')).find(({ name }) => name === 'response')?.value).toBe('"It is done"');
    expect(await client.go('next')).toMatchObject({ at: '9:7-9:54' });
    expect(placement.requests.at(-1)).toMatchObject({ params: { call: { args: ['Thanks'] }, response: 'It is done' } });
  });

  it.each<[string, (client: Client) => Promise<unknown>, true | undefined]>([
    ['a watched value', (client) => client.ask('page_contains("Thanks")', 'watch'), undefined],
    ['an evaluate function', (client) => client.ask('page_contains("Thanks")'), undefined],
    ['a page query', (client) => client.ask('page.title()'), undefined],
    ['a setup function', (client) => client.ask('goto("other.html")'), true],
    ['a user-defined function', (client) => client.ask('mine()'), true],
    [
      'another response',
      (client) => client.customRequest('setExpression', { expression: 'response', value: 'x' }),
      true,
    ],
    [
      'another argument',
      (client) => client.customRequest('setExpression', { expression: 'args[0]', value: '"x"' }),
      true,
    ],
    ['another evaluation', (client) => client.restartFrame(), true],
  ])('records whether the run was edited: %s', async (_, change, edited) => {
    const { client, file, task, cwd } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    await change(client);
    while ((await client.go('continue')) !== 'terminated');
    expect(await recordIn(cwd)).toMatchObject(edited ? { debugged: true, edited } : { debugged: true });
    expect((await recordIn(cwd)).edited).toBe(edited);
  });

  it('is not marked as debugged without debugging', async () => {
    const { client, file, task, cwd } = await shop();
    expect(await client.begin({ task, noDebug: true }, { file, breakpoints: [{ line: 8 }] })).toBe('terminated');
    expect((await recordIn(cwd)).debugged).toBeUndefined();
  });

  it('shows masked values', async () => {
    const secret = SHOP.replace('"prompt"', '"sensitive_data": {"shop": {"pin": "hunter22"}}, "prompt"');
    const { client, file, task } = await shop("click('#order')", secret.replace('Thank you', 'hunter22'));
    await client.begin({ task }, { file, breakpoints: [{ line: 9 }] });
    const shown = [
      ...(await client.scope('Task')),
      ...(await client.scope('Scores')),
      ...(await client.scope('State')),
    ];
    expect(JSON.stringify(shown)).not.toContain('hunter22');
    expect(await client.ask('page_contains("hunter22")')).toBe('0 (looked for <secret>pin</secret>)');
  });
});

describe('a breakpoint in an .actions file', () => {
  it('stops before its action, or at the next action if its line has none, with the line as source', async () => {
    const { client, cwd, task, file } = await shop("# The order\nclick('#order')\n\n  click('#missing')");
    const path = join(cwd, 'shop.actions');
    await client.begin({ task }, { file, breakpoints: [{ line: 9 }] });
    const set = await client.break(path, [{ line: 1 }, { line: 3 }, { line: 5 }]);
    expect(set).toMatchObject([
      { verified: true, line: 2, column: 1, endColumn: 16 },
      { verified: true, line: 4, column: 3, endColumn: 20 },
      { verified: false, message: 'There is no action at or after this line.' },
    ]);
    const { body } = await client.stackTraceRequest({ threadId: 1 });
    expect(body.stackFrames[0]?.source?.path).toBe(file);
  });

  it.each(['live', 'recorded'])('stops a %s run', async (kind) => {
    const { client, cwd, task } = await shop("# The order\nclick('#order')\n\n  click('#missing')");
    const path = join(cwd, 'shop.actions');
    if (kind === 'live') {
      expect(await client.begin({ task }, { file: path, breakpoints: [{ line: 4 }] })).toMatchObject({
        reason: 'breakpoint',
        at: '4:3-4:20',
        stack: ["step 2: click('#missing')", 'shop (shop.tasks.json)'],
      });
    } else {
      await client.begin({ task, noDebug: true });
      const run = (await recordIn(cwd)).trace_dir;
      const replay = new Client({ cwd });
      await replay.begin({ run }, { file: path, breakpoints: [{ line: 4, condition: 'step == 2' }] });
      expect(await replay.go('continue')).toMatchObject({ reason: 'breakpoint', at: '4:3-4:20' });
      expect((await replay.stackTraceRequest({ threadId: 1 })).body.stackFrames[0]?.source?.path).toBe(path);
    }
  });
});
