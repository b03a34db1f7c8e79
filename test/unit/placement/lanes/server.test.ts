import { expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../src/placement/docker/limits.ts';
import { LaneServer } from '../../../../src/placement/lanes/server.ts';
import { LaneStream } from '../../../../src/server/lane/stream.ts';

it('reports for how long a server did not respond, and ends its lane', async () => {
  const late = new AbortController();
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  const drop = vi.fn();
  const lane = {
    hello: { service: 's', task: 't', node: 'n', slot: 0 },
    // Nobody receives what is sent.
    stream: new LaneStream(() => {}),
    whenEnded: new Promise<never>(() => {}),
    drop,
  };
  const options = { placement: 'swarm', limits: DEFAULT_LIMITS, ask: async () => null, log: () => {} } as const;

  const shaken = new LaneServer(lane, options).handshake();
  late.abort(new DOMException('raw text', 'TimeoutError'));

  await expect(shaken).rejects.toMatchObject({
    code: 'container_start_failed',
    message: 'its server did not answer within 30 s',
  });
  expect(limit).toHaveBeenCalledWith(30_000);
  expect(drop).toHaveBeenCalled();
});
