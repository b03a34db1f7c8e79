import { isObject } from '../../base/json.ts';
import type { Convert } from './conversion.ts';
import { TaskRewrite } from './task-rewrite.ts';

/** HUD 0.5 names a scenario of an environment, HUD 0.6 a template of one; otherwise the formats agree. */
export const hud05ToHud06: Convert = (row) => {
  const { env, scenario } = row;
  const parts = typeof scenario === 'string' ? scenario.split(':') : [];
  const short = parts.at(-1);
  const envName = isObject(env) ? env['name'] : env;
  const name = typeof envName === 'string' && envName !== '' ? envName : parts.length === 2 ? parts[0] : undefined;
  if (short === undefined || short === '' || parts.length > 2) {
    return { refusal: '“scenario” is not the name of a template. Write a name, or "environment:name"' };
  }
  if (name === undefined || name === '') {
    return { refusal: 'HUD 0.6 requires the name of the environment. First add "env": {"name": "..."}' };
  }
  const rewriting = new TaskRewrite(row);
  rewriting.aside('id', 'in HUD 0.6, “id” is the name of the template');
  const rest = isObject(env) ? Object.fromEntries(Object.entries(env).filter(([key]) => key !== 'name')) : {};
  rewriting.set('env', name);
  if (Object.values(rest).some((value) => value !== null)) {
    rewriting.keep('env', rest, 'HUD 0.6 cannot include or exclude tools of an environment');
  }
  rewriting.rename('scenario', 'id');
  if (short !== scenario) rewriting.set('id', short);
  if (parts.length === 2 && parts[0] !== name) {
    rewriting.notes.push(`The scenario specifies the environment “${parts[0]}”, but “env” takes precedence: “${name}”`);
  }
  // HUD 0.6 rejects null where 0.5 ignores it. A missing slug is derived from id and args.
  if (row['args'] === null) rewriting.remove('args');
  if (row['slug'] === null || row['slug'] === '') rewriting.remove('slug');
  const { metadata } = row;
  if (isObject(metadata) && Object.keys(metadata).length > 0) {
    rewriting.notes.push('“metadata” is unchanged: HUD 0.6 ignores it');
  }
  return rewriting;
};

export const hud06ToHud05: Convert = (row) => {
  const { env, id, slug } = row;
  if (typeof env !== 'string' || env === '' || typeof id !== 'string' || id === '') {
    return { refusal: 'This task has no environment and template. First add "env" and "id"' };
  }
  if (id.includes(':'))
    return { refusal: 'In HUD 0.5, the name of a scenario cannot contain a colon. Rename the template first' };
  if (typeof slug === 'string' && slug.length > 100) {
    return { refusal: 'In HUD 0.5, a slug has at most 100 characters. Shorten it first' };
  }
  const rewriting = new TaskRewrite(row);
  rewriting.set('env', { name: env });
  rewriting.rename('id', 'scenario');
  rewriting.aside('runtime_config', 'HUD 0.5 does not support it');
  rewriting.aside('verifier', 'HUD 0.5 has no verifier tasks');
  return rewriting;
};
