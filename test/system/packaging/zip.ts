import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const DEFLATED = 8;

/** Reads the files of a ZIP archive by their names: those that are smaller than 4 GB, without encryption. */
export function readZip(archive: Buffer): ReadonlyMap<string, () => Buffer> {
  const files = new Map<string, () => Buffer>();
  let end = archive.length - 22;
  while (archive.readUInt32LE(end) !== END) end -= 1;
  const count = archive.readUInt16LE(end + 10);
  let entry = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    const method = archive.readUInt16LE(entry + 10);
    const size = archive.readUInt32LE(entry + 20);
    const [name, extra, comment] = [28, 30, 32].map((at) => archive.readUInt16LE(entry + at)) as [
      number,
      number,
      number,
    ];
    const header = archive.readUInt32LE(entry + 42);
    files.set(archive.toString('utf8', entry + 46, entry + 46 + name), () => {
      const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
      const data = archive.subarray(start, start + size);
      return method === DEFLATED ? inflateRawSync(data) : data;
    });
    entry += 46 + name + extra + comment;
  }
  return files;
}
