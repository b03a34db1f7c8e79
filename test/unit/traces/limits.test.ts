import { expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { runCommand } from '../../../src/cli/commands/run.ts';
import { serve } from '../../../src/cli/commands/serve.ts';
import { checkOptions, limitsOf } from '../../../src/library/options.ts';
import { LIMIT_NAMES, LIMITS } from '../../../src/traces/limits.ts';

const settings = Object.keys(manifest.contributes.configuration.properties);

it.each(LIMIT_NAMES)('%s can be set wherever a run is started', (name) => {
  const { flag, setting, option, unit, served } = LIMITS[name];
  expect(settings, 'package.json').toContain(`taskwright.${setting}`);
  expect(runCommand.help.map(([text]) => text)).toContain(`--${flag} ${unit === 'ms' ? 'SECONDS' : 'N'}`);
  expect(serve.help.some(([text]) => text.startsWith(`--${flag} `))).toBe(served);
  expect(limitsOf({ [option]: 7 })).toEqual({ [name]: 7 });
  expect(() => checkOptions({ [option]: -1 })).toThrow(`"${option}" requires`);
});
