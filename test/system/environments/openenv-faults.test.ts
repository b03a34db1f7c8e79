import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { begin, failureOf } from './openenv-episode.ts';
import { hasOpenEnv, type RunningServer, serveEnvironment } from './openenv-server.ts';

const NO_WARNING = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON';

describe.skipIf(!hasOpenEnv)('an OpenEnv environment with a fault', () => {
  let typed: RunningServer;
  beforeAll(async () => {
    typed = await serveEnvironment('typed', { TASKS: '1' });
  });
  afterAll(() => typed.stop());

  it('waits for the slot of a session that has just ended', async () => {
    const one = await serveEnvironment('typed', { MAX_CONCURRENT_ENVS: '1' });
    onTestFinished(() => one.stop());
    for (let run = 0; run < 3; run++) {
      const { environment } = await begin(one.url);
      await environment.close();
    }
    await begin(one.url);
    const failure = await failureOf(begin(one.url));

    expect(failure.code).toBe('environment_full');
    expect(failure.message).toContain('takes at most 1 at once. Run fewer at once (--concurrency 1)');
  }, 60_000);

  it('fails if the server cannot create its environment', async () => {
    const broken = await serveEnvironment('typed', { BROKEN: '1' });
    onTestFinished(() => broken.stop());
    const failure = await failureOf(begin(broken.url));

    expect(failure.code).toBe('environment_failed');
    expect(failure.message).toContain('cannot make its environment');
  });

  it('drops a session that times out, and ignores its late answer', async () => {
    const { environment } = await begin(typed.url, { timeout: 0.5 });
    const hung = await failureOf(environment.step([{ direction: 'LEFT', do: 'hang' }]));

    expect(hung).toMatchObject({ code: 'environment_lost' });
    expect(hung.message).toContain('did not answer “step” within 0.5 s');
    expect(await failureOf(environment.step([{ direction: 'LEFT' }]))).toEqual(hung);
  });

  it('reports a server that died during a step', async () => {
    const mortal = await serveEnvironment('typed');
    onTestFinished(() => mortal.stop());
    const { environment } = await begin(mortal.url);
    const failure = await failureOf(environment.step([{ direction: 'LEFT', do: 'die' }]));

    expect(failure.code).toBe('environment_lost');
    expect(failure.message).toContain('it may have ended');
  });

  it('reports an answer that violates the environment’s own schema', async () => {
    const { environment } = await begin(typed.url);
    const failure = await failureOf(environment.step([{ direction: 'LEFT', do: 'lie' }]));

    expect(failure.code).toBe('environment_failed');
    expect(failure.message).toContain('breaks its own schema: “x”: expected number, received string');
  });

  it('accepts an answer of 20 MB, and sends no action of more than 16 MiB', async () => {
    const { environment } = await begin(typed.url);
    const large = await environment.step([{ direction: 'LEFT', do: 'large' }]);
    const result = await environment.step([{ direction: 'LEFT', do: 'x'.repeat(17 * 1024 * 1024) }]);

    expect((large.observation.data as { message: string }).message).toHaveLength(20_000_000);
    expect(result.error).toMatchObject({ code: 'invalid_action' });
    expect(result.error?.message).toContain('The action has 17.0 MiB, and an OpenEnv server takes at most 16 MiB');
    expect((await environment.step([{ direction: 'LEFT' }])).error).toBeNull();
  }, 60_000);

  it('ends the run where an answer has more than 100 MiB', async () => {
    const { environment } = await begin(typed.url);
    const failure = await failureOf(environment.step([{ direction: 'LEFT', do: 'too large' }]));

    expect(failure.code).toBe('environment_failed');
    expect(failure.message).toContain('sent an answer of more than 100 MiB, which is not taken');
  }, 60_000);

  it('reports that the server ended the session because of an internal error', async () => {
    const { environment } = await begin(typed.url);
    const failure = await failureOf(environment.step([{ direction: 'LEFT', do: 'end the session' }]));

    expect(failure.code).toBe('environment_failed');
    expect(failure.message).toContain('ended the session because of an error of its own');
  });

  it('rejects a certificate of an unknown authority, and explains how to trust it', async () => {
    const folder = await temporaryFolder();
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
      stdio: 'ignore',
    });
    const secure = await serveEnvironment('typed', {}, ['--ssl-keyfile', key, '--ssl-certfile', certificate]);
    onTestFinished(() => secure.stop());
    const failure = await failureOf(begin(secure.url));

    expect(failure.code).toBe('start_failed');
    expect(failure.message).toContain('is not trusted: self-signed certificate');
    expect(failure.message).toContain('Set NODE_EXTRA_CA_CERTS');
    // Node reads the variable when it starts.
    const program = `
      import { OpenEnvSession } from ${JSON.stringify(join(root, 'src', 'environments', 'openenv', 'session.ts'))};
      import { addressesOf } from ${JSON.stringify(join(root, 'src', 'environments', 'openenv', 'addresses.ts'))};
      const { session, answer } = await OpenEnvSession.start(addressesOf(process.argv[1]), 10_000, { seed: 3 });
      console.log(answer.observation.message);
      await session.close();`;
    const output = execFileSync(process.execPath, [NO_WARNING, '--input-type=module', '-e', program, secure.url], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
      encoding: 'utf8',
    });
    expect(output.trim()).toBe('seed 3');
  }, 60_000);

  it('mentions TLS if a server without TLS is requested over https', async () => {
    const failure = await failureOf(begin(typed.url.replace('http:', 'https:')));

    expect(failure.code).toBe('start_failed');
    expect(failure.message).toContain('If it serves without TLS, write http:// in "url".');
  });
});
