import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../../src/environments/faults.ts';
import { canRetry, isAgentFault } from '../../../src/runs/run/blame.ts';

const BROWSER = { type: 'hud-browser' };
const failure = (code: string) => ({ code, message: 'It failed.' });

describe('the blame for an error', () => {
  it('is the agent’s if it fails after its first answer; before, the run has no reward', () => {
    for (const code of ['agent_answer', 'agent_died', 'agent_threw']) {
      expect([0, 1].map((answers) => isAgentFault(failure(code), answers, BROWSER))).toEqual([false, true]);
    }
    for (const code of ['browser_crashed', 'call_threw', 'internal_error', 'constructor']) {
      expect(isAgentFault(failure(code), 5, BROWSER)).toBe(false);
      expect(canRetry(failure(code))).toBe(code === 'browser_crashed');
    }
  });

  it('is the agent’s if memory runs out between its answers, and not in a call', () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    expect(isAgentFault(failure('out_of_memory'), 1, BROWSER)).toBe(true);
    expect(isAgentFault({ ...failure('out_of_memory'), call: { function: 'f', args: [], range } }, 1, BROWSER)).toBe(
      false,
    );
    expect(isAgentFault(failure('out_of_memory'), 0, BROWSER)).toBe(false);
    // An answer of the environment has filled the session.
    for (const type of ['openenv', 'hud', 'mcp']) {
      for (const code of ['out_of_memory', 'frame_too_large'] as const) {
        expect(isAgentFault(failure(code), 1, { type }), type).toBe(false);
      }
    }
  });

  it('is documented in a row for each code', async () => {
    const text = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'running.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)` \| (.*?) \| (yes|no) \|/gm)].map(([, code, side, retried]) => {
      return [code, { side, retried: retried === 'yes' }] as const;
    });
    expect(Object.fromEntries(rows)).toEqual(FAULTS);
  });
});
