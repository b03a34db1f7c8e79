import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../../../src/environments/create.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { qa } from '../../../src/environments/qa/kind.ts';
import { task } from '../../system/environments/stage.ts';

async function startQuestion(): Promise<Environment> {
  const environment = await createEnvironment(qa, {
    browser: () => Promise.reject(new Error('a question needs no browser')),
    log: () => undefined,
  });
  await environment.reset({ task: task({}, { prompt: 'Capital of France?' }), files: { contents: {} }, seed: 0 });
  return environment;
}

describe('a question', () => {
  it('is the observation, without a picture', async () => {
    expect((await (await startQuestion()).observe()).observation).toEqual({
      text: 'Capital of France?',
      screenshot: null,
    });
  });

  it('ends with the first response, which counts', async () => {
    const environment = await startQuestion();
    const result = await environment.step([
      { type: 'response', text: 'Paris' },
      { type: 'response', text: 'Rome' },
    ]);
    expect(result).toMatchObject({ terminated: true, info: { response: 'Paris' }, error: null });
    expect(environment.functionContext?.()).toMatchObject({ response: 'Paris' });
    expect(environment.functionContext?.().actions).toHaveLength(1);
  });

  it('ignores other actions with a message', async () => {
    const environment = await startQuestion();
    const result = await environment.step(["click('a')"]);
    expect(result.terminated).toBe(false);
    expect(result.info.acted).toEqual([
      { action: "click('a')", ignored: expect.stringContaining('does nothing here') },
    ]);
  });

  it('reports an invalid action to the agent, and continues', async () => {
    const environment = await startQuestion();
    expect(await environment.step(['jump()'])).toMatchObject({ terminated: false, error: { code: 'unknown_action' } });
  });

  it('starts again with each task', async () => {
    const environment = await startQuestion();
    await environment.step(["response('x')"]);
    const again = await environment.reset({ task: task({}), files: { contents: {} }, seed: 0 });
    expect(again).toMatchObject({ terminated: false, goal: null, observation: { text: 'Buy it.' } });
    expect(environment.functionContext?.()).toMatchObject({ response: null, actions: [] });
  });
});
