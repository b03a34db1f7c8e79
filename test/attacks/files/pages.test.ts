import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PageFiles } from '../../../src/environments/browser/pages/page-files.ts';
import { Withheld } from '../../../src/environments/withheld.ts';
import { ALLOWED, ANSWER, attempts, known, workspace } from './workspace.ts';

async function filesOf(folder: string, file = 'questions.json'): Promise<PageFiles> {
  const withheld = await Withheld.ofTask({ file: join(folder, file) }, { folder, withheld: known(folder) });
  return new PageFiles({ folder }, withheld);
}

describe('files that a run knows', () => {
  it('are not served to a page under any name', async () => {
    const files = await filesOf(workspace());
    for (const path of attempts()) {
      const encoded = `/${[...path].map((one) => (/[a-z]/.test(one) ? `%${one.charCodeAt(0).toString(16)}` : one)).join('')}`;
      for (const address of [`/${path}`, encoded]) {
        expect(Object.keys(await files.page(address)), address).toEqual(['refusal']);
      }
    }
    expect(await files.page('/index.html')).toHaveProperty('body');
    expect(await files.page('/data.json')).toHaveProperty('body');
  });

  it('are not handed to a page as an upload under any name', async () => {
    const files = await filesOf(workspace());
    for (const path of attempts()) expect(Object.keys(await files.upload(path)), path).toEqual(['refusal']);
    for (const path of ALLOWED.filter((one) => !/\.(?:agent\.js|tasks\.yml)$/.test(one))) {
      expect(await files.upload(path), path).toHaveProperty('body');
    }
  });

  it.each(['questions.json', 'hudtasks.py'])('say what they are: %s', async (file) => {
    const files = await filesOf(workspace(), file);
    expect(await files.upload(file)).toEqual({ refusal: `${file} is not served: it is a task file` });
    expect(JSON.stringify(await files.upload(file))).not.toContain(ANSWER);
  });
});
