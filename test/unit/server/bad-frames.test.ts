import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Channel } from '../../../src/server/channel.ts';
import { RequestFailure } from '../../../src/server/failure.ts';
import { encodeFrame, FrameDecoder, FrameError } from '../../../src/server/frames.ts';
import { FUZZ_TIMEOUT, inputs } from '../../fuzz.ts';

const json = fc.jsonValue({ maxDepth: 3 });
const message = fc.oneof(
  fc.record({ id: fc.nat(), method: fc.string(), params: json }),
  fc.record({ id: fc.nat(), result: json }),
  fc.record({ id: fc.nat(), error: fc.record({ code: fc.string(), message: fc.string() }) }),
  fc.record({ event: fc.string(), session: fc.string() }),
  fc.record({ cancel: fc.nat() }),
  fc.record({ secret: fc.string(), message: json }),
  json,
);
const frame = message.map((value) => Buffer.concat(encodeFrame(value)));
const length = fc.oneof(fc.nat(64), fc.constantFrom(0, 3, 4, 2 ** 31, 2 ** 32 - 1, 256 * 1024 * 1024 + 1));
/** A frame whose two lengths say something else. */
const lying = fc.tuple(frame, length, length).map(([bytes, whole, header]) => {
  const lies = Buffer.from(bytes);
  lies.writeUInt32BE(whole, 0);
  lies.writeUInt32BE(header, 4);
  return lies;
});
/** A header with parts in places that are not there, or are no places. */
const places = fc
  .array(fc.tuple(fc.array(fc.oneof(fc.string(), fc.nat(), fc.constantFrom('__proto__', 'constructor'))), fc.integer()))
  .chain((parts) => json.map((value) => JSON.stringify({ value, parts })))
  .map((text) => {
    const header = Buffer.from(text);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(4 + header.byteLength, 0);
    head.writeUInt32BE(header.byteLength, 4);
    return Buffer.concat([head, header]);
  });
const noise = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
const bytes = fc.array(fc.oneof(frame, lying, places, noise), { maxLength: 6 }).map((all) => Buffer.concat(all));
const cuts = fc.array(fc.nat(40), { maxLength: 10 });

/** The same bytes in chunks of these lengths, the rest in one. */
function chunks(whole: Buffer, lengths: readonly number[]): Buffer[] {
  const frames: Buffer[] = [];
  let at = 0;
  for (const size of lengths) {
    frames.push(whole.subarray(at, at + size));
    at += size;
  }
  return [...frames, whole.subarray(at)];
}

/** The values that a decoder gives, and why it gave up. */
function decode(all: readonly Buffer[]): { readonly values: unknown[]; readonly problem: string | null } {
  const decoder = new FrameDecoder();
  const values: unknown[] = [];
  for (const chunk of all) {
    try {
      values.push(...decoder.push(chunk));
    } catch (error) {
      expect(error).toBeInstanceOf(FrameError);
      return { values, problem: (error as FrameError).code };
    }
  }
  return { values, problem: null };
}

/** What a channel does with bytes of the other side, which has its own secret where `isSealed`. */
async function receive(all: readonly Buffer[], isSealed: boolean) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.resume();
  const methods: string[] = [];
  const closed = Promise.withResolvers<Error | null>();
  const channel = new Channel({
    input,
    output,
    onRequest: async (method) => void methods.push(method),
    onEvent: (event) => void methods.push(event.event),
    onClose: (error) => closed.resolve(error),
  });
  if (isSealed) {
    channel.expectSeal('secret');
    input.write(Buffer.concat(encodeFrame({ secret: 'secret', message: { event: 'sealed' } })));
  }
  const pending = channel.request('own', null).catch((error: unknown) => error);
  for (const chunk of all) input.write(chunk);
  input.end();
  const why = await closed.promise;
  return { asked: methods, why, pending: await pending };
}

describe('any bytes on the control channel', { timeout: FUZZ_TIMEOUT }, () => {
  it('give values or a reason, however they are split', () => {
    fc.assert(
      fc.property(bytes, cuts, (whole, lengths) => {
        const once = decode([whole]);
        const cut = decode(chunks(whole, lengths));
        expect(cut.problem).toEqual(once.problem);
        // A chunk that holds a broken frame gives none of those before it in the same chunk.
        expect(cut.values.slice(0, once.values.length)).toEqual(once.values);
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      }),
      inputs(300, 5000),
    );
  });

  it('close it with a reason, and no request keeps waiting', async () => {
    const property = fc.asyncProperty(bytes, cuts, async (whole, lengths) => {
      const { why, pending } = await receive(chunks(whole, lengths), false);
      if (why !== null) expect(why).toBeInstanceOf(Error);
      // A result that was made up is one as well; the channel's end is not silence.
      if (pending instanceof Error) expect(pending).toBeInstanceOf(RequestFailure);
    });
    await fc.assert(property, inputs(100, 2000));
  });

  it('are ignored without the secret once there is one', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.oneof(frame, lying, places, noise), { maxLength: 4 }),
      cuts,
      async (all, lengths) => {
        const { asked } = await receive(chunks(Buffer.concat(all), lengths), true);
        expect(asked).toEqual(['sealed']);
      },
    );
    await fc.assert(property, inputs(100, 2000));
  });
});
