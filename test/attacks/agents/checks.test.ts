import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodingEnvironment } from '../../../src/environments/coding/environment.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { caseCount } from '../../sample.ts';
import { needsPosix } from '../../systems.ts';
import { task } from '../../unit/runs/tasks.ts';

/** Every check of a coding task; none of them holds. */
const CHECKS: readonly (readonly [string, ...string[]])[] = [
  ['file_exists', 'answer.txt/none'],
  ['file_contains', 'answer.txt', 'right'],
  ['diff_matches', 'right'],
  ['command_succeeds', 'false'],
  ['command_output_matches', 'echo wrong', 'right'],
  ['tests_pass', 'false', 'answer.txt'],
  ['tests_pass', 'false', 'reports/answer.xml'],
  ['tests_pass', 'true', 'reports'],
  ['tests_pass', 'true', '**/*.xml'],
];

/** What an agent may leave where its work is judged. */
const LEFT: Readonly<Record<string, string>> = {
  nothing: 'true',
  'no folder': 'rm -rf "$PWD"',
  'a file in place of the folder': 'here=$PWD; cd /; rm -rf "$here"; touch "$here"',
  'a link in place of the folder': 'here=$PWD; cd /; rm -rf "$here"; ln -s / "$here"',
  'a link to itself in place of the folder': 'here=$PWD; cd /; rm -rf "$here"; ln -s "$here" "$here"',
  'a folder that nobody may enter': 'mkdir -p a/b reports; chmod 000 a reports .',
  'a socket': `python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("answer.txt")'`,
  'a pipe': 'mkfifo answer.txt reports',
  'a device': 'ln -s /dev/zero answer.txt; ln -s /dev reports',
  'a folder': 'mkdir -p answer.txt/right reports/answer.xml',
  'links to one another': 'ln -s reports answer.txt; ln -s answer.txt reports',
  'a link that leads nowhere': 'ln -s none answer.txt; ln -s none/none reports',
  'files in place of folders': 'touch answer.txt reports',
  'what is no text': `printf '\\377\\376' > answer.txt; mkdir reports; printf '\\377' > reports/answer.xml`,
  'a report that never ends': `mkdir reports; yes "<a>" | head -c ${caseCount(3, 9)}000000 > reports/answer.xml; cp reports/answer.xml answer.txt`,
  'a file that may not be written': 'echo wrong > answer.txt; chmod 444 answer.txt; mkdir reports; chmod 555 reports',
};

describe.skipIf(needsPosix('what agents leave')).each(Object.entries(LEFT))('An agent that leaves %s', (_, command) => {
  const environment = new CodingEnvironment(() => {});
  beforeAll(async () => {
    const folder = tmpdir();
    const asked = task({ file: `${folder}/a.task.json`, env: { type: 'coding', files: { 'a.txt': 'one\n' } } });
    await environment.reset({ task: asked, files: { folder }, seed: 0 });
    await environment.step([`run(${JSON.stringify(command)}, 20)`]);
  });
  afterAll(() => environment.close());

  it.each(CHECKS)('fails %s(%s), and the check is no error', async (name, ...args) => {
    const result = await runCall(
      { function: name, args: [...args] },
      'evaluate',
      environment.functionContext(),
      NO_USER_FUNCTIONS,
    );
    expect(result).toMatchObject({ value: 0 });
  });
});
