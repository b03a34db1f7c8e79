import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import type { UserFunctions } from '../../../src/environments/user-functions.ts';
import { findControllers } from '../../../src/functions/user/controllers.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { targetAt } from '../../../src/language/navigation/definition.ts';
import { hover } from '../../../src/language/typing/hover.ts';
import { signatureHelp } from '../../../src/language/typing/signature-help.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { atMark } from '../tasks/cursor.ts';
import { labels } from './typing.ts';

const folder = join(import.meta.dirname, '../../fixtures');
let own: UserFunctions = new Map();
beforeAll(async () => {
  own = Object.assign(new Map(), { controllers: await findControllers(folder, (path) => readFile(path, 'utf8')) });
});

const LOCAL = { location: 'local', image_or_build_context: './controller' };

function row(evaluate: unknown, gym: object = LOCAL): string {
  return JSON.stringify({ id: 'a', prompt: 'Count.', gym, evaluate });
}

function listFindings(evaluate: unknown, gym?: object): string[] {
  return diagnose(readTasks('/tasks/a.task.json', row(evaluate, gym)), own).map(
    ({ severity, code, message }) => `${severity} ${code}: ${message}`,
  );
}

function at(markedText: string) {
  const { text, offset } = atMark(markedText);
  return { file: readTasks('/tasks/a.task.json', text), position: new Lines(text).position(offset) };
}

describe('the calls of a custom environment', () => {
  it.each([[['a.inner']], [['kw', 1]], [['inst']], [['const']], [['broken.q']], [['f', 1, 2, 3]]])(
    '%j matches the controller',
    (evaluate) => {
      expect(listFindings(evaluate)).toEqual([]);
    },
  );

  it.each([
    [['a.iner'], /^warning controller-function: .*no function “a\.iner”. Did you mean “a\.inner”/],
    [['nowhere.f'], /^warning controller-function: /],
    [['response_is', 'x'], /^warning controller-function: /],
    [['kw'], /^warning missing-argument: kw\(a, b\?\): “a” is missing/],
    [['kw', 1, 2, 3], /^warning too-many-arguments: /],
  ])('%j does not', (evaluate, words) => {
    expect(listFindings(evaluate)).toEqual([expect.stringMatching(words)]);
  });

  it('can be in a module that cannot be read', async () => {
    const read = async (path: string) => (path.endsWith('a/__init__.py') ? null : readFile(path, 'utf8'));
    const all = own;
    own = Object.assign(new Map(), { controllers: await findControllers(folder, read) });
    try {
      expect(listFindings(['a.inner'])).toEqual([]);
      expect(listFindings(['a.iner'])).toEqual([]);
      expect(listFindings(['iner'])).toEqual([expect.stringMatching(/^warning controller-function: /)]);
    } finally {
      own = all;
    }
  });

  it('are found in a controller in a subfolder, however its path is written', async () => {
    const controllers = await findControllers(join(folder, '..'), (path) => readFile(path, 'utf8'));
    own = Object.assign(new Map(), { controllers });
    try {
      for (const path of ['./fixtures/controller', './/fixtures//controller/', 'fixtures/controller']) {
        expect(listFindings(['a.iner'], { location: 'local', image_or_build_context: path })).toEqual([
          expect.stringContaining('Did you mean “a.inner”'),
        ]);
      }
    } finally {
      own = Object.assign(new Map(), { controllers: await findControllers(folder, (path) => readFile(path, 'utf8')) });
    }
  });

  it('are not checked if its files are not known', () => {
    expect(listFindings(['no.such'], { location: 'local', image_or_build_context: 'shop:1' })).toEqual([]);
    expect(listFindings(['no.such'], { location: 'local', image_or_build_context: '../elsewhere' })).toEqual([]);
  });

  it('have completion, hover, and definitions from its files only', async () => {
    const gym = JSON.stringify(LOCAL);
    const offered = await labels('/tasks/a.task.json', `{"prompt":"p","gym":${gym},"evaluate":["|"]}`, { own });
    expect(offered).toEqual(expect.arrayContaining(['kw', 'a.inner', 'scored']));
    expect(offered).not.toContain('response_is');

    const called = at(`{"prompt":"p","gym":${gym},"evaluate":["sta|rts_a_server", 1]}`);
    expect(hover(called.file, called.position, own)?.text).toContain('goes on from call to call');
    expect(targetAt(called.file, own, called.position)).toMatchObject({
      kind: 'user',
      signature: { name: 'starts_a_server', file: join(folder, 'controller/src/hud_controller/__init__.py') },
    });
    const argument = at(`{"prompt":"p","gym":${gym},"evaluate":["kw", |1]}`);
    expect(signatureHelp(argument.file, argument.position, own)).toMatchObject({ label: 'kw(a, b?)', active: 0 });
    const builtin = at(`{"prompt":"p","gym":${gym},"evaluate":["response|_is", "x"]}`);
    expect(hover(builtin.file, builtin.position, own)).toBeNull();
  });

  it.each<[object, RegExp | null]>([
    [{ ShmSize: 1, NetworkMode: 'none' }, null],
    [{ Privileged: true }, /^error host-config: .*rights over the whole machine/],
    [{ Volumes: ['x'] }, /^warning host-config: .*left out/],
  ])('host_config %j', (host_config, words) => {
    expect(listFindings(['kw', 1], { ...LOCAL, host_config })).toEqual(
      words === null ? [] : [expect.stringMatching(words)],
    );
  });
});
