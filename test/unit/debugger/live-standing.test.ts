import { describe, expect, it } from 'vitest';
import { SHOP, shop } from './shop.ts';

describe('a person who stands in a live run', () => {
  it('asks the live page in the console, while a hover runs evaluate functions only', async () => {
    const { client, file, task, placement } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    expect(await client.ask('page_contains("Thanks")')).toBe('1 (looked for Thanks)');
    expect(await client.ask("page_contains('Thanks') == 1 and url in ['http://task.localhost/shop.html']")).toBe(
      'true',
    );
    expect(await client.ask('args[0]', 'watch')).toBe('"Thank you"');
    expect(await client.ask('url_contains("/x")', 'hover')).toBe('0 (looked for /x)');
    await expect(client.ask('goto("x")', 'hover')).rejects.toThrow('goto can only be called in the debug console.');
    await expect(client.ask('mine()', 'watch')).rejects.toThrow('mine can only be called in the debug console.');
    await expect(client.ask('broken()')).rejects.toThrow('it threw');
    expect(await client.ask('goto("other.html")')).toBe('done');
    expect(placement.requests.at(-1)).toMatchObject({ params: { call: { function: 'goto', args: ['other.html'] } } });
    const { targets } = (await client.completionsRequest({ text: 'page_c', column: 7, frameId: 1 })).body;
    expect(targets).toMatchObject([{ text: 'page_contains(', start: 0, length: 6 }]);
  });

  it('sees the page as it is by now, with cookies and storage, and asks it what changes nothing', async () => {
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
    await expect(client.ask('page.click("#order")')).rejects.toThrow('click is nothing that can be asked');
    const { targets } = (await client.completionsRequest({ text: 'page.co', column: 8, frameId: 1 })).body;
    expect(targets.map(({ label }) => label)).toEqual(['page.cookies()', 'page.content()']);
  });

  it('changes arguments and the response before a call is carried out', async () => {
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

  it('does not show what is masked in the trace', async () => {
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
