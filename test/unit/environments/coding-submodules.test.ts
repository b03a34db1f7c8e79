import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { placeOfSubmodule } from '../../../src/environments/coding/submodules.ts';

/** A folder of tasks with `project` and `lib`, and a repository `secret` beside it. */
const top = realpathSync(mkdtempSync(join(tmpdir(), 'submodules-')));
afterAll(() => rmSync(top, { recursive: true }));
const tasks = join(top, 'tasks');
for (const path of ['tasks/project', 'tasks/lib', 'secret']) mkdirSync(join(top, path), { recursive: true });
symlinkSync('../secret', join(tasks, 'link'));
const project = join(tasks, 'project');

describe('a submodule is fetched from', () => {
  it.each([
    ['../lib.git', 'https://host/group/project.git', 'https://host/group/lib.git'],
    ['../../other/lib', 'https://host/group/project.git/', 'https://host/other/lib'],
    ['./lib', 'https://host/project', 'https://host/project/lib'],
    ['../lib', 'git@host:group/project', 'git@host:group/lib'],
    ['../lib', 'git@host:project', 'git@host:lib'],
    ['https://elsewhere/lib', 'https://host/project', 'https://elsewhere/lib'],
    ['git@host:lib', project, 'git@host:lib'],
    ['host:lib', 'https://host/project', 'host:lib'],
    ['../lib', project, join(tasks, 'lib')],
    [join(tasks, 'lib'), project, join(tasks, 'lib')],
    [pathToFileURL(join(tasks, 'lib')).href, project, join(tasks, 'lib')],
    ['../secret', pathToFileURL(tasks).href, pathToFileURL(join(top, 'secret')).href],
  ])('%s of %s: %s', async (url, repository, place) => {
    expect(await placeOfSubmodule(url, repository, tasks)).toBe(place);
  });

  it.each([
    [join(top, 'secret'), project, 'leads out of the folder of the task'],
    [pathToFileURL(join(top, 'secret')).href, project, 'leads out of the folder of the task'],
    ['../../secret', project, 'leads out of the folder of the task'],
    ['../link', project, 'leads out of the folder of the task'],
    ['../../etc', pathToFileURL(tasks).href, 'leads out of the folder of the task'],
    [join(tasks, 'lib'), 'https://host/project', 'is on this machine, but its repository is not'],
    ['file:///etc', 'git@host:project', 'is on this machine, but its repository is not'],
    ['ext::sh -c "touch pwned"', 'https://host/project', 'would run a program'],
    ['ext::sh -c "touch pwned"', project, 'would run a program'],
  ])('nowhere: %s of %s', async (url, repository, words) => {
    await expect(placeOfSubmodule(url, repository, tasks)).rejects.toThrow(words);
  });
});
