import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../../scripts/places.ts';
import { temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';

const SHARDS = 4;
const [github, gitlab] = [
  ...(await readFile(join(root, 'docs', 'ci.md'), 'utf8')).matchAll(/```yaml\n([\s\S]*?)```/g),
].map(([, text = '']) => parse(text)) as [GitHub, Record<'plan' | 'shard' | 'merge', GitLabJob>];

interface GitHub {
  readonly jobs: Record<
    'plan' | 'shard' | 'merge',
    {
      readonly strategy?: { readonly matrix: { readonly shard: readonly number[] } };
      readonly steps: readonly {
        readonly run?: string;
        readonly uses?: string;
        readonly with?: { readonly name?: string; readonly path?: string; readonly pattern?: string };
      }[];
    }
  >;
}

interface GitLabJob {
  readonly script: readonly string[];
  readonly parallel?: number;
  readonly artifacts: { readonly paths: readonly string[] };
}

/** A checkout with a task that has a solution. */
async function checkout(): Promise<string> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'tasks'));
  const task = { id: 'one', prompt: 'x', gym: 'qa', evaluate: ['response_includes', 'x'] };
  await writeFile(join(cwd, 'tasks', 'one.tasks.json'), JSON.stringify([task]));
  await writeFile(join(cwd, 'tasks', 'one.actions'), 'send_msg_to_user("x")\n');
  return cwd;
}

/** Carries out a line of a script as a shell would, as far as the document needs one. */
async function carryOut(line: string, cwd: string, variables: Record<string, string> = {}): Promise<void> {
  const [command = ''] = line.split(' || ');
  const words = command
    .replace(/\$\{\{ (\S+) \}\}|\$(\w+)/g, (_, one: string, other: string) => variables[one ?? other] ?? '')
    .replaceAll('"', '')
    .split(' ');
  const args: string[] = [];
  for (const word of words) {
    if (!word.endsWith('/*')) args.push(word);
    else for (const name of await readdir(join(cwd, word.slice(0, -2)))) args.push(`${word.slice(0, -1)}${name}`);
  }
  const [program, ...rest] = args;
  if (program === 'mkdir') await mkdir(join(cwd, rest[0] ?? ''));
  else if (program === 'cp') await cp(join(cwd, rest[1] ?? ''), join(cwd, rest[2] ?? ''), { recursive: true });
  else if (program === 'npx') expect(await taskwright(rest.slice(1), { cwd })).toMatchObject({ exit: 0 });
  else expect(line).toBe('npm ci');
}

async function expectMerged(cwd: string): Promise<void> {
  expect((await readFile(join(cwd, 'report.xml'), 'utf8')).match(/<testcase /g)).toHaveLength(SHARDS);
  expect(await readdir(join(cwd, 'merged'))).toHaveLength(1);
}

describe('the examples in docs/ci.md', () => {
  it('make a plan, four shards, and a report on GitHub', async () => {
    /** By name; each job has a checkout of its own. */
    const artifacts = new Map<string, string>();
    const machine = async (job: keyof GitHub['jobs'], variables: Record<string, string> = {}): Promise<string> => {
      const cwd = await checkout();
      for (const { run, uses = '', with: { name = '', path = '', pattern } = {} } of github.jobs[job].steps) {
        if (run !== undefined) await carryOut(run, cwd, variables);
        if (uses.startsWith('actions/upload-artifact') && job !== 'merge')
          artifacts.set(name.replace('${{ matrix.shard }}', variables['matrix.shard'] ?? ''), join(cwd, path));
        if (!uses.startsWith('actions/download-artifact')) continue;
        // One artifact goes to the folder itself, several that a pattern names to folders in it.
        if (pattern === undefined) await cp(artifacts.get(name) ?? '', join(cwd, path), { recursive: true });
        else
          for (const [one, from] of artifacts)
            if (one.startsWith(pattern.replace('*', ''))) await cp(from, join(cwd, path, one), { recursive: true });
      }
      return cwd;
    };
    await machine('plan');
    const shards = github.jobs.shard.strategy?.matrix.shard ?? [];
    expect(shards).toHaveLength(SHARDS);
    for (const shard of shards) await machine('shard', { 'matrix.shard': String(shard) });
    await expectMerged(await machine('merge'));
  });

  it('make a plan, four shards, and a report on GitLab', async () => {
    /** All artifacts are unpacked into the checkout. */
    const artifacts: { readonly from: string; readonly path: string }[] = [];
    const machine = async (job: keyof typeof gitlab, variables: Record<string, string> = {}): Promise<string> => {
      const cwd = await checkout();
      for (const { from, path } of artifacts) await cp(join(from, path), join(cwd, path), { recursive: true });
      for (const line of gitlab[job].script) await carryOut(line, cwd, variables);
      return cwd;
    };
    const keep = (job: keyof typeof gitlab, from: string) =>
      gitlab[job].artifacts.paths.map((path) => ({ from, path }));
    artifacts.push(...keep('plan', await machine('plan')));
    expect(gitlab.shard.parallel).toBe(SHARDS);
    const made: { from: string; path: string }[] = [];
    for (let shard = 1; shard <= SHARDS; shard += 1)
      made.push(...keep('shard', await machine('shard', { CI_NODE_INDEX: `${shard}`, CI_NODE_TOTAL: `${SHARDS}` })));
    artifacts.push(...made);
    await expectMerged(await machine('merge'));
  });
});
