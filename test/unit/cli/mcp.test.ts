import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CommandContext } from '../../../src/cli/command.ts';
import { mcp } from '../../../src/cli/commands/mcp.ts';

it('taskwright mcp ends after the run in progress has been cancelled', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const order: string[] = [];
  const started = Promise.withResolvers<void>();
  const invoke: CommandContext['invoke'] = async (_args, { signal }) => {
    started.resolve();
    await once(signal, 'abort');
    await setImmediate();
    order.push('cancelled');
    return 130;
  };
  const signal = new AbortController().signal;
  const context = { positionals: [], cwd: '/', streams: { input, output }, signal, invoke } as Partial<CommandContext>;
  const served = mcp.run(context as CommandContext).then(() => order.push('ended'));
  const send = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'run_task', arguments: { address: 'a.tasks.json' } } });
  await started.promise;
  input.end();
  await served;
  expect(order).toEqual(['cancelled', 'ended']);
});
