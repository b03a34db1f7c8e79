import { describe, expect, it } from 'vitest';
import { osworldPath, readOsworld } from '../../../../src/environments/desktop/osworld-config.ts';
import { environmentKind } from '../../../../src/environments/kinds.ts';

describe('what a task of OSWorld asks for', () => {
  it('runs if this desktop supports it', () => {
    const config = {
      snapshot: 'os',
      config: [
        { type: 'launch', parameters: { command: ['gnome-terminal'] } },
        { type: 'sleep', parameters: { seconds: 2 } },
        { type: 'upload_file', parameters: { files: [{ local_path: 'a.txt', path: '/home/user/Desktop/a.txt' }] } },
      ],
    };
    expect(readOsworld(config)).toMatchObject({
      steps: [{ type: 'launch' }, { type: 'sleep' }, { type: 'upload_file' }],
      missing: [],
    });
    expect(environmentKind({ type: 'OSWorld-Ubuntu', config })).toMatchObject({ kind: { name: 'desktop' } });
  });

  it('is reported once if it is not supported', () => {
    const config = {
      config: [
        { type: 'chrome_open_tabs', parameters: { urls_to_open: ['https://example.com'] } },
        { type: 'chrome_open_tabs', parameters: { urls_to_open: ['https://example.org'] } },
        { type: 'download', parameters: { files: [] } },
        { type: 'sleep', parameters: { seconds: 'long' } },
        'sleep',
      ],
      evaluator: { func: ['compare_table', 'exact_match'] },
    };
    expect(readOsworld(config).missing).toEqual([
      'the step “chrome_open_tabs”',
      'the step “download” (put the files next to the task, and list them in “upload_file”)',
      'the parameters of the step “sleep”',
      'a step without a type',
      'OSWorld\'s evaluator compare_table, exact_match (write it as "evaluate")',
    ]);
    expect(environmentKind({ type: 'OSWorld-Ubuntu', config })).toMatchObject({
      known: true,
      unsupported: expect.stringContaining('the step “chrome_open_tabs”'),
    });
  });

  it('is empty without a config', () => {
    expect(readOsworld(undefined)).toEqual({ steps: [], missing: [] });
    expect(environmentKind({ type: 'hud-ubuntu' })).toMatchObject({ kind: { name: 'desktop' } });
  });

  it('a path of its machine becomes a path in the home folder', () => {
    expect(osworldPath('/home/user/Desktop/a.txt')).toBe('Desktop/a.txt');
    expect(osworldPath('~/a.txt')).toBe('a.txt');
    expect(osworldPath('/etc/hosts')).toBe('/etc/hosts');
  });
});
