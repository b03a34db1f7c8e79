import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { packageVsix } from '../../../scripts/package-vsix.ts';
import { root } from '../../../scripts/places.ts';
import { hasOpenEnv } from '../serving/serving.ts';
import { readZip } from './zip.ts';

const run = promisify(execFile);
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const MEGABYTE = 1024 * 1024;

/** What may stand in the VSIX; everything else is a mistake of the allow-list. */
const VSIX = [
  /^(package\.json|package\.nls\.json|readme\.md|changelog\.md|LICENSE\.txt)$/,
  /^dist\/(extension|cli|compile-cache|commands|docker|serve|mcp|server|sessions|shared|supervisor|lane|guard|agent|panel|form|job|rescore)\.js$/,
  /^dist\/babel\.js(\.LICENSE)?$/,
  /^dist\/extension-[\w.-]+-[A-Z0-9]{8}\.js$/,
  /^dist\/(taskwright\.mjs|taskwright\.d\.ts|(panel|job|rescore)\.css)$/,
  /^dist\/(web-tree-sitter|tree-sitter-(python|typescript))\.wasm$/,
  /^dist\/functions-(?:host|tasks)\.py$/,
  /^dist\/types\/zod\/(LICENSE|(classic|core|locales)\/[\w.-]+\.d\.ts)$/,
  /^dist\/types\/playwright-core\/(LICENSE|(types|structs)\.d\.ts)$/,
  /^docker\/[\w-]+\.(Dockerfile|json)$/,
  /^l10n\/bundle\.l10n\.json$/,
  /^media\/[\w-]+\.(svg|png)$/,
  /^media\/walkthrough\/[\w-]+\.(svg|md)$/,
  /^syntaxes\/[\w.-]+\.json$/,
  /^CONTRIBUTING\.md$/,
  /^docs\/(rules\/)?(README|[a-z0-9]+(-[a-z0-9]+)*)\.md$/,
  /^docs\/images\/[\w-]+\.png$/,
  /^examples\/(?!.*\/(\.taskwright|node_modules|__pycache__)\/)[\w./-]+$/,
  /^snippets\/\w+\.json$/,
  /^schemas\/[\w.-]+\.schema\.json$/,
  /^node_modules\/taskwright-typescript-plugin\/(index\.js|package\.json)$/,
  /^node_modules\/playwright-core\/(package\.json|browsers\.json|cli\.js|index\.(js|mjs)|LICENSE|NOTICE|ThirdPartyNotices\.txt)$/,
  /^node_modules\/playwright-core\/lib\/(?!vite\/|tools\/).+\.(js|json|LICENSE|png)$/,
  /^node_modules\/playwright-core\/lib\/xdg-open$/,
];

/** What may stand in the tarball: the command line, the library, and what runs of them, and nothing of the editor. */
const TARBALL = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/(cli|compile-cache|commands|library|docker|serve|mcp|server|sessions|shared|supervisor|lane|guard|agent)\.js$/,
  /^dist\/babel\.js(\.LICENSE)?$/,
  /^dist\/(taskwright\.mjs|taskwright\.d\.ts|library\.d\.ts)$/,
  /^dist\/(web-tree-sitter|tree-sitter-(python|typescript))\.wasm$/,
  /^dist\/functions-(?:host|tasks)\.py$/,
  /^dist\/types\/zod\/(LICENSE|(classic|core|locales)\/[\w.-]+\.d\.ts)$/,
  /^dist\/types\/playwright-core\/(LICENSE|(types|structs)\.d\.ts)$/,
  /^docker\/[\w-]+\.(Dockerfile|json)$/,
  /^schemas\/[\w.-]+\.schema\.json$/,
];

const NEVER =
  /\.map$|^(?!examples\/)(.*\/)?(test|tests|src|bench)\/|(^|\/)(\.git|\.ci|\.vscode)\/|\.(test|spec)\.|\.env|id_rsa|\.pem$|\.npmrc/;
/** A private key, or a token of a registry or a code host. */
const SECRET = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bnpm_[A-Za-z0-9]{36}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|_authToken=/;

/** The relative links and images of a Markdown document, outside of its code. */
function linksIn(text: string): readonly { readonly path: string; readonly anchor: string }[] {
  const prose = text.replace(/^(```+).*?^\1/gms, '').replace(/`[^`\n]+`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { path: decodeURI(path), anchor };
    });
}

/** The anchors of the headings of a Markdown document, as VS Code and GitHub make them. */
function anchorsIn(text: string): ReadonlySet<string> {
  const prose = text.replace(/^(```+).*?^\1/gms, '');
  return new Set(
    [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}

let folder: string;
/** The packed extension, and its files by their paths. */
let vsix: string;
let packed: ReadonlyMap<string, () => Buffer>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-packages-'));
  vsix = await packageVsix(folder);
  const files = [...readZip(await readFile(vsix))].filter(([name]) => name.startsWith('extension/'));
  packed = new Map(files.map(([name, read]) => [name.slice('extension/'.length), read]));
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Expects files, whose contents `read` returns, to be on the list and to hold nothing that must not be published. */
async function expectClean(
  files: readonly string[],
  allowed: readonly RegExp[],
  read: (file: string) => Buffer | Promise<Buffer>,
): Promise<void> {
  const surplus = files.filter((file) => !allowed.some((pattern) => pattern.test(file)) || NEVER.test(file));
  expect(surplus).toEqual([]);
  for (const file of files.filter((name) => !name.startsWith('node_modules/'))) {
    const text = (await read(file)).toString('latin1');
    expect(text, file).not.toMatch(SECRET);
    expect(text, `${file} names a folder of the machine it was built on`).not.toContain(root);
    expect(/\/\/# sourceMappingURL=(?!data:text)/.test(text), `${file} points to a source map`).toBe(false);
  }
}

describe('the packaged extension', () => {
  it('holds what the allow-list names, and what VS Code needs to run it', async () => {
    const files = [...packed.keys()];
    await expectClean(files, VSIX, (file) => packed.get(file)?.() ?? Buffer.of());
    const needed = [
      'package.json',
      'package.nls.json',
      'readme.md',
      'changelog.md',
      'LICENSE.txt',
      'dist/extension.js',
      'dist/server.js',
    ];
    needed.push('dist/web-tree-sitter.wasm', 'dist/tree-sitter-python.wasm', 'dist/tree-sitter-typescript.wasm');
    needed.push('docs/functions.md', 'docs/rules/unknown-function.md', 'docs/images/run-panel.png');
    needed.push('schemas/task-file.schema.json', 'schemas/hud-0.6.schema.json', 'syntaxes/actions.tmLanguage.json');
    needed.push('node_modules/taskwright-typescript-plugin/index.js', 'node_modules/playwright-core/index.js');
    expect(files).toEqual(expect.arrayContaining(needed));
  });

  it('holds the code that several programs use once', () => {
    const programs = ['commands', 'sessions', 'docker', 'serve', 'mcp', 'shared'];
    const holding = (text: string) =>
      programs.filter((name) => packed.get(`dist/${name}.js`)?.().toString('utf8').includes(text));
    // From zod, and from our own messages.
    for (const text of ['ZodDiscriminatedUnion', 'A message is missing a part.']) {
      expect(holding(text), text).toEqual(['shared']);
    }
  });

  it('holds what the links and images of its README, changelog, and documentation lead to', async () => {
    // VSCE changes the case of the names of the README, the changelog, and the license.
    const byName = new Map([...packed].map(([name, read]) => [name.toLowerCase(), read]));
    const textOf = (name: string): string => byName.get(name.toLowerCase())?.().toString('utf8') ?? '';
    const isThere = (path: string): boolean =>
      byName.has(path.toLowerCase()) || [...byName.keys()].some((name) => name.startsWith(`${path.toLowerCase()}/`));
    const documents = [...byName.keys()].filter((name) => name.endsWith('.md') && !name.startsWith('node_modules/'));
    expect(documents.length).toBeGreaterThan(100);
    const dead: string[] = [];
    let links = 0;
    for (const name of documents) {
      for (const { path, anchor } of linksIn(textOf(name))) {
        links += 1;
        const target = path === '' ? name : posix.join(posix.dirname(name), path);
        const isDead =
          !isThere(target) || (anchor !== '' && target.endsWith('.md') && !anchorsIn(textOf(target)).has(anchor));
        if (isDead) dead.push(`${name}: ${path}#${anchor}`);
      }
    }
    expect(links).toBeGreaterThan(200);
    expect(dead).toEqual([]);
  });

  it('is at most 5 MB', async () => {
    expect((await stat(vsix)).size).toBeLessThanOrEqual(5 * MEGABYTE);
  });
});

describe('the npm package', () => {
  /** An empty project with the packed tarball, installed without a network: its dependency is the one of this repository. */
  let project: string;
  beforeAll(async () => {
    await run(npm, ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
    const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    expect(tarball).toMatch(/^taskwright-.*\.tgz$/);
    project = join(folder, 'project');
    await mkdir(project);
    const dependencies = {
      taskwright: `file:${join(folder, tarball ?? '')}`,
      'playwright-core': `file:${join(root, 'node_modules', 'playwright-core')}`,
    };
    await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await run(npm, ['install', '--offline', '--no-audit', '--no-fund'], { cwd: project });
  }, 180_000);

  it('holds what the allow-list names', async () => {
    const { stdout } = await run(npm, ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: root });
    const packed = JSON.parse(stdout);
    const [{ files }] = Array.isArray(packed) ? packed : Object.values<{ files: { path: string }[] }>(packed);
    await expectClean(
      files.map(({ path }: { path: string }) => path),
      TARBALL,
      (file) => readFile(join(root, file)),
    );
  });

  it('brings the command line', async () => {
    const program = join(project, 'node_modules', '.bin', 'taskwright');
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect((await run(program, ['--version'], { cwd: project })).stdout.trim()).toBe(version);

    const cli = join(project, 'cli');
    await mkdir(cli);
    const task = { id: 'sum', prompt: 'Two and two?', gym: 'qa', evaluate: ['response_is', '4'] };
    await writeFile(join(cli, 'sum.task.json'), JSON.stringify(task));
    const python = 'from hud import Task\nt = Task(id="py", prompt="p", gym="qa", evaluate=("response_is", "4"))\n';
    await writeFile(join(cli, 'tasks.py'), python);
    expect(JSON.parse((await run(program, ['validate', '.', '--json'], { cwd: cli })).stdout)).toEqual([]);
    expect((await run(program, ['list', 'tasks.py'], { cwd: cli })).stdout).toContain('tasks.py#py');
    await writeFile(join(cli, 'sum.actions'), "send_msg_to_user('4')\n");
    const { runs } = JSON.parse((await run(program, ['run', 'sum.task.json', '--json'], { cwd: cli })).stdout);
    expect(runs[0]).toMatchObject({ task_id: 'sum', reward: 1, success: true });
  }, 180_000);

  describe('as a library', () => {
    /** The examples of docs/library.md by the names of their files, and what each prints. */
    let examples: ReadonlyMap<string, string>;
    beforeAll(async () => {
      const page = await readFile(join(root, 'docs', 'library.md'), 'utf8');
      examples = new Map(
        [...page.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [name, text]),
      );
      for (const [name, text] of examples) await writeFile(join(project, name), text);
      const sources = [...examples.keys()].filter((name) => /\.[cm]ts$/.test(name));
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        module: 'nodenext',
        target: 'es2022',
        types: ['node'],
        typeRoots: [join(root, 'node_modules', '@types')],
      };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: sources }));
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      await run(process.execPath, [tsc, '-p', '.'], { cwd: project }).catch(({ stdout }) => expect.fail(stdout));
    }, 180_000);

    it.each(['list.mjs', 'act.mjs', 'job.mjs', 'runs.cjs'])(
      'prints what the documentation says: %s',
      async (name) => {
        const { stdout } = await run(process.execPath, [name], { cwd: project });
        expect(stdout).toBe(examples.get(name.replace(/\.[cm]js$/, '.out')));
      },
      180_000,
    );

    it.runIf(hasOpenEnv)(
      'shows the same in Python',
      async () => {
        const program = join(project, 'node_modules', '.bin', 'taskwright');
        const server = spawn(program, ['serve', 'shop.tasks.json', '--port', '0', '--json'], { cwd: project });
        const exited = once(server, 'exit');
        onTestFinished(async () => {
          server.kill();
          await exited;
        });
        const [line = ''] = await once(createInterface(server.stdout), 'line');
        const { url } = JSON.parse(line) as { url: string };
        const code = examples.get('act.py')?.replace('http://127.0.0.1:8000', url) ?? '';
        const { stdout } = await run('python3', ['-c', code], { cwd: project });
        expect(stdout).toBe(examples.get('act.py.out'));
      },
      180_000,
    );
  });
});
