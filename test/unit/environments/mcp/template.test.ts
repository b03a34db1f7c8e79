import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { PlaceholderError, substitute } from '../../../../src/environments/mcp/template.ts';
import { hudVariables } from '../../../../src/environments/mcp/variables.ts';

interface Recorded {
  readonly hud: string;
  readonly case: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly in: Json;
  readonly out?: Json;
}

const recorded = readFileSync(join(import.meta.dirname, '../../../fixtures/hud/task-0.4.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)
  .filter((one) => one.case === 'subst');

describe('variables in mcp_config', () => {
  it.each(recorded.map((one) => ({ ...one, name: JSON.stringify(one.in) })))(
    '$hud $name is substituted as HUD does it',
    ({ env = {}, in: given, out }) => {
      const done = () => substitute(given, hudVariables(env, []));
      if (out === undefined) expect(done).toThrow(PlaceholderError);
      else expect(done()).toEqual(out);
    },
  );

  it('are not substituted in keys', () => {
    expect(substitute({ $FOO: { url: '$FOO' } }, { FOO: 'x' })).toEqual({ $FOO: { url: 'x' } });
  });

  it('have no values that every object has', () => {
    expect(substitute('$constructor', {})).toBe('');
  });

  it('come from the environment before files, as with HUD’s settings', () => {
    const files = ['HUD_API_KEY=from-file\n# no\nOTHER="quoted # value"\nexport THIRD=3 # three\n'];
    expect(hudVariables({ HUD_API_KEY: 'from-environment' }, files)).toMatchObject({
      HUD_API_KEY: 'from-environment',
      api_key: 'from-environment',
      OTHER: 'quoted # value',
      THIRD: '3',
    });
  });
});
