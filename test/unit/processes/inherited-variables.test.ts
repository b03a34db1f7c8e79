import { expect, it } from 'vitest';
import { withheldVariables } from '../../../src/agents/agent-variables.ts';
import { inheritedVariables } from '../../../src/processes/inherited-variables.ts';

it('Programs inherit what they need to run, by names and not by prefixes', () => {
  const needs = {
    PATH: '/bin',
    HOME: '/root',
    LC_ALL: 'C',
    XDG_CACHE_HOME: '/c',
    https_proxy: 'http://p',
    TASKWRIGHT_BROWSER: '/b',
  };
  const keys = {
    OPENAI_API_KEY: 'k',
    AWS_SECRET_ACCESS_KEY: 'k',
    GITHUB_TOKEN: 'k',
    TASKWRIGHT_TOKEN: 'k',
    TASKWRIGHT_AGENT_TOKEN: 'k',
    LC_API_KEY: 'k',
    XDG_SECRET: 'k',
    NODE_OPTIONS: '--inspect',
  };
  expect(inheritedVariables({ ...needs, ...keys })).toEqual(needs);
  expect(inheritedVariables({ ...needs, ...keys }, ['GITHUB_TOKEN', 'MISSING'])).toEqual({
    ...needs,
    GITHUB_TOKEN: 'k',
  });
});

it('An agent that failed is told the names of variables that it may have missed, and never their values', () => {
  const env = { PATH: '/bin', OPENAI_API_KEY: 'zebra', MODEL_URL: 'zebra', COLOR: 'zebra', TASKWRIGHT_TOKEN: 'zebra' };
  const message = withheldVariables(['MODEL_URL'], env);
  expect(message).toContain('environment variables: OPENAI_API_KEY. Pass');
  expect(message).not.toContain('zebra');
  expect(withheldVariables(['MODEL_URL', 'OPENAI_API_KEY'], env)).toBe('');
  const many = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`KEY_${index}`, 'zebra']));
  expect(withheldVariables([], many)).toContain('4 others');
});
