import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { readGrade } from '../../../../src/environments/hud/grade.ts';
import { promptFault } from '../../../../src/environments/hud/prompt-fault.ts';
import { readPrompt } from '../../../../src/environments/mcp/prompt.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a grade', () => {
  it.each<[string, Json, object]>([
    ['a number', { score: 0.5 }, { value: 0.5, reason: 'graded with 0.5' }],
    ['a number above 1', { score: 7.5 }, { value: 7.5 }],
    ['more in a dictionary', { score: 1, extra: [1, 2] }, { value: 1, reason: 'graded with 1 {"extra":[1,2]}' }],
    ['NaN elsewhere', { score: 1, info: { x: Number.NaN } }, { value: 1, reason: 'graded with 1 {"info":{"x":NaN}}' }],
    [
      'a result with subscores',
      {
        done: true,
        content: 'half of it',
        info: {},
        isError: false,
        score: 0.5,
        subscores: [
          { name: 'a', weight: 0.5, value: 1, children: null, info: null },
          { name: 'b', weight: 1, value: 0, children: [{ name: 'c', value: 0.5 }], info: { why: 'a mess' } },
        ],
      },
      {
        value: 0.5,
        reason: 'half of it',
        parts: [
          { name: 'a', value: 1, reason: 'weight 0.5' },
          { name: 'b', value: 0, reason: '{"why":"a mess"}' },
          { name: 'b / c', value: 0.5, reason: '' },
        ],
      },
    ],
    ['what is not true in Python', { score: 1, isError: '', done: null }, { value: 1 }],
    ['no list of subscores', { score: 1, subscores: 'none' }, { value: 1 }],
    [
      'subscores as a dictionary of Python may have them',
      { score: 1, subscores: [{ name: 'a', value: true, weight: ' 1_0e-1 ', metadata: { by: 'x' } }] },
      { value: 1, parts: [{ name: 'a', value: 1, reason: '{"by":"x"}' }] },
    ],
    [
      'NaN in a subscore',
      { score: 1, subscores: [{ name: 'a', value: 1, info: { x: Number.NaN } }] },
      { parts: [{ name: 'a', value: 1, reason: '{"x":NaN}' }] },
    ],
  ])('with %s', (_what, frame, result) => {
    expect(readGrade(frame)).toMatchObject(result);
  });

  it.each<[Json, string]>([
    [{ reward: 1 }, 'the grade has no "score"; it is {"reward":1}'],
    [{ score: true }, 'the "score" of the grade must be a finite number, and it is true'],
    [{ score: '1.0' }, 'and it is "1.0"'],
    [{ score: null }, 'and it is null'],
    [{ score: Number.NaN }, 'and it is NaN'],
    [{ score: -Infinity }, 'and it is -Infinity'],
    [{ score: 0, isError: true, content: 'no disk' }, 'the grade says that it failed: no disk'],
    [{ score: 1, isError: 1 }, 'the grade says that it failed'],
    [{ score: 1, isError: ['x'], content: 'odd' }, 'the grade says that it failed: odd'],
    [{ score: 1, subscores: ['x'] }, 'HUD does not read "subscores.0" of the grade: '],
    [
      { score: 1, subscores: [{ name: 'a', value: 1, reason: 'r' }] },
      '"subscores.0" of the grade: Unrecognized key: "reason"',
    ],
    [{ score: 1, subscores: [{ value: 1 }] }, 'HUD does not read "subscores.0.name" of the grade: '],
    [{ score: 1, subscores: [{ name: 'a', value: 'x' }] }, '"subscores.0.value"'],
    [{ score: 1, subscores: [{ name: 'a', value: 1.5 }] }, '"subscores.0.value"'],
    [{ score: 1, subscores: [{ name: 'a', value: Number.NaN }] }, '"subscores.0.value"'],
    [{ score: 1, subscores: [{ name: 'a', value: 1, weight: null }] }, '"subscores.0.weight"'],
    [{ score: 1, subscores: [{ name: 'a', value: 1, children: [{ name: 'c' }] }] }, '"subscores.0.children.0.value"'],
    [null, 'the environment sent null instead of a grade'],
  ])('is an error and never 0: %j', (frame, message) => {
    expect(readGrade(frame)).toEqual({ error: { code: 'call_threw', message: expect.stringContaining(message) } });
  });
});

describe('a prompt', () => {
  it.each<[Json | undefined, string | null]>([
    ['Go', 'Go'],
    ['', null],
    [null, null],
    [undefined, null],
    [5, '5'],
    [{ text: 'no prompt key' }, '{"text":"no prompt key"}'],
    [[], null],
    [
      [
        { role: 'system', content: 'You count.' },
        { role: 'user', content: { type: 'text', text: 'How many?' } },
        {
          role: 'user',
          content: [
            { type: 'image', data: 'AA==' },
            { type: 'text', text: 'Look.' },
          ],
        },
        'Now',
      ],
      'You count.\n\nHow many?\n\nLook.\n\nNow',
    ],
  ])('%j as text', (prompt, text) => {
    expect(readPrompt(prompt)?.text ?? null).toBe(text);
  });

  const said = (content: Json): Json => [{ role: 'user', content }];

  it.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['a text', 'Go'],
    ['texts and numbers as turns', ['Go', 5, null]],
    ['a text in a message', said('Go')],
    ['a block', said({ type: 'text', text: 'Go', annotations: null })],
    ['blocks', said([{ type: 'image', data: 'AA==', mimeType: 'image/png' }])],
    ['a link', said({ type: 'resource_link', name: 'n', uri: 'file:///a' })],
    ['a resource', said({ type: 'resource', resource: { uri: 'a://b', blob: 'AA==' } })],
    ['no content of a message', said([])],
  ])('is one for HUD: %s', (_what, prompt) => {
    expect(promptFault(prompt)).toBeNull();
  });

  it.each<[Json, string]>([
    [5, '5 is neither a text nor a list of messages.'],
    [{ text: 'Go' }, '{"text":"Go"} is neither'],
    [[{ role: 'user' }], '{"role":"user"} is no message of MCP.'],
    [said(5), ' is no message of MCP.'],
    [said({ text: 'Go' }), 'no message'],
    [said({ type: 'constructor', text: 'Go' }), 'no message'],
    [said({ type: 'text', text: 5 }), 'no message'],
    [said([{ type: 'text', text: 'Go' }, 'Go']), 'no message'],
    [said({ type: 'image', data: 'AA==' }), 'no message'],
    [said({ type: 'resource_link', name: 'n', uri: '0.5' }), 'no message'],
    [said({ type: 'resource', resource: { uri: 'a://b' } }), 'no message'],
  ])('is none for HUD, which is said: %j', (prompt, message) => {
    expect(promptFault(prompt)).toContain(message);
  });

  it('shows its last picture, and has notes in place of pictures', () => {
    const picture = (data: string) => ({ role: 'user', content: { type: 'image', data, mimeType: 'image/png' } });
    const turns = [picture(PIXEL), { role: 'user', content: 'See.' }, picture(PIXEL), picture('AA==')];
    expect(readPrompt(turns)).toEqual({
      text: 'See.',
      screenshot: { type: 'png', data: Buffer.from(PIXEL, 'base64'), width: 1, height: 1 },
      data: [
        picture('(picture, 1×1)'),
        { role: 'user', content: 'See.' },
        picture('(picture, 1×1)'),
        picture('(4 characters of base64)'),
      ],
    });
    expect(readPrompt([picture(PIXEL)])?.text).toBe('(picture, 1×1)');
  });
});
