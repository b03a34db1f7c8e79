import { duplexPair, PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ByteReader } from '../../../../src/environments/desktop/vnc/byte-reader.ts';
import { RfbClient } from '../../../../src/environments/desktop/vnc/rfb.ts';

const u16 = (...numbers: number[]) => Buffer.from(numbers.flatMap((number) => [number >> 8, number & 255]));
const u32 = (number: number) => u16(number >>> 16, number & 65_535);
const text = (words: string) => Buffer.concat([u32(words.length), Buffer.from(words)]);
/** The screen of a server: its size, a pixel format, and its name. */
const screen = (width: number, height: number) => Buffer.concat([u16(width, height), Buffer.alloc(16), text('lab')]);
const rectangle = (x: number, y: number, width: number, height: number, encoding: number, ...rest: Buffer[]) =>
  Buffer.concat([u16(x, y, width, height), u32(encoding >>> 0), ...rest]);
const update = (...all: Buffer[]) => Buffer.concat([Buffer.from([0, 0]), u16(all.length), ...all]);
const pixel = (value: number) => Buffer.alloc(4, value);

/** A client whose server says all of this, whatever it is told. */
function connect(words: readonly (string | Buffer)[], password: string | null = null) {
  const [near, far] = duplexPair();
  const heard = new ByteReader(far);
  far.on('error', () => undefined);
  far.write(Buffer.concat(words.map((word) => Buffer.from(word as string))));
  return { client: RfbClient.open(near, password), heard, far };
}

it.each([
  ['RFB 003.003\n', 'RFB 003.003\n', [u32(1)]],
  ['RFB 003.007\n', 'RFB 003.007\n', [Buffer.from([2, 16, 1])]],
  ['RFB 003.008\n', 'RFB 003.008\n', [Buffer.from([1, 1]), u32(0)]],
  ['RFB 003.889\n', 'RFB 003.008\n', [Buffer.from([1, 1]), u32(0)]],
])('shakes hands with %j', async (greeting, answer, security) => {
  const { client, heard } = connect([greeting, ...security, screen(3, 2)]);
  expect(await client).toMatchObject({ width: 3, height: 2 });
  expect(String(await heard.take(12))).toBe(answer);
});

it('answers the challenge of a password', async () => {
  const { client, heard } = connect(
    ['RFB 003.008\n', Buffer.from([1, 2]), Buffer.alloc(16, 7), u32(0), screen(1, 1)],
    'secret99',
  );
  await client;
  await heard.take(13);
  expect((await heard.take(16)).toString('hex')).toBe('828f9a8c12e80b9d828f9a8c12e80b9d');
});

it.each<[string, readonly (string | Buffer)[]]>([
  ['it is no VNC server', ['HTTP/1.1 400\r\n']],
  ['it refused: too many', ['RFB 003.008\n', Buffer.from([0]), text('too many')]],
  ['it refused: wrong', ['RFB 003.008\n', Buffer.from([1, 1]), u32(1), text('wrong')]],
  ['it needs a password', ['RFB 003.008\n', Buffer.from([1, 2])]],
  ['it has no way of authentication that is known here (19)', ['RFB 003.008\n', Buffer.from([1, 19])]],
  ['it has a screen of 65535x1', ['RFB 003.008\n', Buffer.from([1, 1]), u32(0), screen(65_535, 1)]],
  ['it sent a text of 4294967295 bytes', ['RFB 003.008\n', Buffer.from([0]), u32(0xffffffff)]],
])('is refused because %s', async (message, words) => {
  await expect(connect(words).client).rejects.toThrow(message);
});

it('takes pixels, moves them, and follows changes of the size, until the connection ends', async () => {
  const { client, far } = connect(['RFB 003.008\n', Buffer.from([1, 1]), u32(0), screen(2, 2)]);
  const rfb = await client;
  const updates: [boolean, string][] = [];
  const ending = new Promise<Error>((onEnd) => {
    rfb.listen({
      onUpdate: (changed) => updates.push([changed, [...rfb.pixels].filter((_, at) => at % 4 === 0).join()]),
      onEnd,
    });
  });
  const first = update(rectangle(0, 0, 2, 1, 0, pixel(1), pixel(2)));
  far.write(first);
  far.write(first);
  far.write(
    Buffer.concat([
      Buffer.from([2]),
      Buffer.from([3, 0, 0, 0]),
      text('copied'),
      Buffer.from([1, 0]),
      u16(0, 1),
      Buffer.alloc(6),
    ]),
  );
  far.write(update(rectangle(0, 1, 2, 1, 1, u16(0, 0))));
  far.write(update(rectangle(0, 0, 1, 1, -223), rectangle(0, 0, 1, 1, 0, pixel(9))));
  far.end(update(rectangle(1, 0, 1, 1, 0, pixel(9))));
  expect((await ending).message).toBe('it sent pixels outside of its screen');
  expect(updates).toEqual([
    [true, '1,2,0,0'],
    [false, '1,2,0,0'],
    [true, '1,2,1,2'],
    [true, '9'],
  ]);
});

it('a stream that ends in the middle is an error', async () => {
  const stream = new PassThrough();
  const reader = new ByteReader(stream);
  stream.write('ab');
  const taken = reader.take(3);
  stream.destroy();
  await expect(taken).rejects.toThrow('closed the connection');
});
