// Stands in for kubectl and a cluster of one node: keeps objects as files in STAND_IN_FOLDER, and runs the programs of pods as
// processes of this machine, with the programs of the repository in place of those in the image.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const { STAND_IN_FOLDER: folder, STAND_IN_DIST: dist } = process.env;
const args = process.argv.slice(2).filter((arg) => !/^--(namespace|request-timeout|output|quiet)/.test(arg));
await appendFile(join(folder, 'calls.log'), `${JSON.stringify(process.argv.slice(2))}\n`);

const file = (kind, name) => join(folder, `${kind.toLowerCase()}.${name}.json`);
const save = (object) => writeFile(file(object.kind, object.metadata.name), JSON.stringify(object));
async function all(kind) {
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${kind}.`)).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))));
}

/** Whether labels have what `--selector=a=b,c=d` asks for. */
function selected({ metadata: { labels = {} } }) {
  const selector = args.find((arg) => arg.startsWith('--selector='))?.slice('--selector='.length);
  return (selector?.split(',') ?? []).every((pair) => {
    const [label, value] = pair.split('=');
    return labels[label] === value;
  });
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The command of a container here. */
function commandOf({ command }) {
  const [, ...words] = command;
  const here = words.map((word) => (word === 'node' ? process.execPath : word.replace('/opt/taskwright/dist', dist)));
  return [process.execPath, here];
}

async function createJob(job) {
  const { parallelism = 1, template } = job.spec;
  for (let index = 0; index < parallelism; index += 1) {
    const pod = {
      kind: 'Pod',
      metadata: { ...template.metadata, name: `${job.metadata.name}-${index}`, index },
      spec: template.spec,
      status: { phase: 'Running', podIP: '127.0.0.1' },
    };
    // Only what is attached has standard input, so the relay starts then. Its port is free here.
    if (template.spec.containers[0].stdin === true) pod.port = await freePort();
    else pod.pid = await startLane(pod);
    await save(pod);
  }
}

async function startLane(pod) {
  const [container] = pod.spec.containers;
  const [relay] = (await all('pod')).filter(({ port }) => port !== undefined);
  const temporary = join(folder, pod.metadata.name);
  await mkdir(temporary);
  const fields = {
    'metadata.name': pod.metadata.name,
    'spec.nodeName': 'only',
    "metadata.annotations['batch.kubernetes.io/job-completion-index']": String(pod.metadata.index),
  };
  const variables = await Promise.all(
    container.env.map(async ({ name, value, valueFrom: { fieldRef, secretKeyRef } = {} }) => {
      if (fieldRef !== undefined) return [name, fields[fieldRef.fieldPath]];
      if (secretKeyRef === undefined) return [name, value.replace('127.0.0.1:7000', `127.0.0.1:${relay.port}`)];
      const secret = JSON.parse(await readFile(file('Secret', secretKeyRef.name), 'utf8'));
      return [name, secret.stringData[secretKeyRef.key]];
    }),
  );
  const log = await open(join(temporary, 'log'), 'w');
  const env = { ...process.env, ...Object.fromEntries(variables), TMPDIR: temporary };
  // The user of the image is not one of this machine.
  env.LANE_USER = `${process.getuid()}:${process.getgid()}`;
  const child = spawn(...commandOf(container), { env, detached: true, stdio: ['ignore', log.fd, log.fd] });
  child.unref();
  await log.close();
  return child.pid;
}

async function end({ pid }) {
  for (const signal of ['SIGTERM', ...Array(100).fill(0)]) {
    try {
      if (pid === undefined) return;
      process.kill(pid, signal);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function node(cpu, isReady) {
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
  return { spec: {}, status: { allocatable: { cpu, memory: '8Gi' }, conditions } };
}

const verbs = {
  async version() {
    const minor = process.env['STAND_IN_MINOR'] ?? '31+';
    return { serverVersion: { major: '1', minor, gitVersion: `v1.${minor.replace('+', '')}.2` } };
  },
  async config() {
    return { 'current-context': 'dev', contexts: [{ name: 'dev', context: { cluster: 'dev' } }] };
  },
  async create() {
    const given = JSON.parse(await text(process.stdin));
    for (const object of given.items ?? [given]) {
      if (object.kind === 'SelfSubjectAccessReview') {
        const { verb, resource, subresource } = object.spec.resourceAttributes;
        const path = [resource, ...(subresource === undefined ? [] : [subresource])].join('/');
        object.status = { allowed: !(process.env['STAND_IN_DENIED'] ?? '').split(',').includes(`${verb} ${path}`) };
        continue;
      }
      object.metadata.uid = randomUUID();
      await save(object);
      if (object.kind === 'Job') await createJob(object);
    }
    // One after the other, as kubectl prints them.
    process.stdout.write((given.items ?? [given]).map((object) => `${JSON.stringify(object, null, 4)}\n`).join(''));
    return undefined;
  },
  async get([kind, name]) {
    if (kind === 'events') return { items: [] };
    if (kind === 'nodes') {
      if ((process.env['STAND_IN_DENIED'] ?? '').includes('list nodes')) throw new Error('forbidden');
      return { items: [node('4', true), node('3920m', false), node('3920m', true)] };
    }
    const pods = await all('pod');
    return kind === 'pod' ? pods.find(({ metadata }) => metadata.name === name) : { items: pods.filter(selected) };
  },
  async attach([name]) {
    const pod = JSON.parse(await readFile(file('Pod', name), 'utf8'));
    const [command, words] = commandOf(pod.spec.containers[0]);
    const child = spawn(command, [...words, String(pod.port)], { stdio: 'inherit' });
    process.on('SIGTERM', () => child.kill());
    return new Promise((resolve) => child.once('close', () => resolve(undefined)));
  },
  async delete([kinds]) {
    for (const kind of [...kinds.split(',').map((one) => one.replace(/s$/, '').replace(/ie$/, 'y')), 'pod']) {
      for (const object of (await all(kind)).filter(selected)) {
        await end(object);
        await rm(file(object.kind, object.metadata.name));
      }
    }
    return undefined;
  },
};
const [verb, ...words] = args;
if (process.env['STAND_IN_REFUSAL'] !== undefined) {
  process.stderr.write(`${process.env['STAND_IN_REFUSAL']}\n`);
  process.exitCode = 1;
} else {
  const answer = await verbs[verb](words.filter((word) => !word.startsWith('--')));
  if (answer !== undefined) process.stdout.write(JSON.stringify(answer));
}
