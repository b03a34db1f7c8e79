import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** The text of what a tool answers. */
async function use(name: string, input: Record<string, unknown>): Promise<string> {
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
}

describe('the tools for VS Code’s own agents', () => {
  it('are offered with the inputs of package.json', () => {
    const ours = vscode.lm.tools.filter(({ name }) => name.startsWith('taskwright_'));
    assert.equal(ours.length, 6);
    assert.ok(ours.every(({ inputSchema }) => inputSchema !== undefined));
  });

  it('list tasks, and run one with its solution', async () => {
    const path = 'examples/capitals/capitals.tasks.jsonl';
    assert.match(await use('taskwright_list_tasks', { path }), /capital-of-france/);
    assert.match(
      await use('taskwright_run_task', { address: `${path}#capital-of-france` }),
      /1\.00.*capital-of-france/,
    );
  });

  it('say what is wrong with their input', async () => {
    await assert.rejects(use('taskwright_explain_rule', { code: 'no-such-rule' }), /There is no rule no-such-rule/);
  });
});
