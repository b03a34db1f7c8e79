/** Tables of a TrueType font as bytes. */
type Tables = Readonly<Record<string, Buffer>>;

const EM = 1000;
const DESCENT = 200;

/**
 * A font in which each character from `!` to `~` is a filled square of 1 em, and a space an empty one, as the address of its
 * file: how much of a text is seen is then how many pixels of its color are.
 */
export function squareFont(): string {
  const glyph = words(
    // One contour around the em square, its four points on the curve.
    ...[1, 0, -DESCENT, EM, EM - DESCENT, 3, 0, 0x0101, 0x0101],
    ...[0, 0, EM, 0, -DESCENT, EM, 0, -EM],
  );
  const first = 0x20;
  const last = 0x7e;
  const glyphs = Array.from({ length: last - first + 1 }, (_, index) => (index === 0 ? 1 : 2));
  // One segment of characters, and the last one that each map has.
  const segments = [4, 4, 1, 0, last, 0xffff, 0, first, 0xffff, 0, 1, 4, 0];
  const map = words(4, 2 * (3 + segments.length + glyphs.length), 0, ...segments, ...glyphs);
  const tables: Tables = {
    'OS/2': words(
      ...[3, EM, 400, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      ...[...Array(13).fill(0), 0x2020, 0x2020, 0x40, first, last],
      ...[EM - DESCENT, -DESCENT, 0, EM - DESCENT, DESCENT, 1, 0, 0, 0, 0, 0, first, 2],
    ),
    cmap: Buffer.concat([words(0, 1, 3, 1, 0, 12), map]),
    glyf: glyph,
    head: words(
      ...[1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 3, EM],
      ...Array(8).fill(0),
      ...[0, -DESCENT, EM, EM - DESCENT, 0, 8, 2, 0, 0],
    ),
    hhea: words(...[1, 0, EM - DESCENT, -DESCENT, 0, EM, 0, 0, EM, 1], ...Array(7).fill(0), 3),
    hmtx: words(EM, 0, EM, 0, EM, 0),
    loca: words(0, 0, 0, glyph.length / 2),
    maxp: words(1, 0, 3, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
    name: words(0, 0, 6),
    post: words(3, 0, ...Array(14).fill(0)),
  };
  return `data:font/ttf;base64,${fileOf(tables).toString('base64')}`;
}

/** Numbers of 16 bits. */
function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, index * 2);
  return bytes;
}

function fileOf(tables: Tables): Buffer {
  const names = Object.keys(tables).sort();
  let offset = 12 + 16 * names.length;
  const directory = [words(1, 0, names.length, 128, 3, 16 * names.length - 128)];
  const parts: Buffer[] = [];
  for (const name of names) {
    const table = tables[name] as Buffer;
    const entry = Buffer.alloc(16);
    entry.write(name, 0, 'latin1');
    entry.writeUInt32BE(offset, 8);
    entry.writeUInt32BE(table.length, 12);
    directory.push(entry);
    const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
    parts.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([...directory, ...parts]);
}
