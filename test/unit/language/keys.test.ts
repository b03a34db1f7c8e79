import { describe, expect, it } from 'vitest';
import { STATE, TASK_KEYS } from '../../../src/language/typing/keys.ts';
import { KNOWN_KEYS, STATE_KEYS } from '../../../src/tasks/era.ts';
import type { Era } from '../../../src/tasks/task.ts';

describe('the documentation of keys', () => {
  it.each(Object.keys(KNOWN_KEYS) as Era[])('say something of every key of a task of %s, and of no other', (era) => {
    expect(Object.keys(TASK_KEYS[era]).sort()).toEqual([...new Set(KNOWN_KEYS[era])].sort());
  });

  it('covers every key of initial_state', () => {
    expect(Object.keys(STATE).sort()).toEqual([...STATE_KEYS].sort());
  });
});
