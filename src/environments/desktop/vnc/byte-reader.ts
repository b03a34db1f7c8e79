import type { Duplex } from 'node:stream';

/** Reads a stream in pieces of given lengths, one after the other. */
export class ByteReader {
  #chunks: Buffer[] = [];
  #length = 0;
  #endReason: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(stream: Duplex) {
    const end = (error: Error): void => {
      this.#endReason ??= error;
      this.#wake?.();
    };
    stream.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake?.();
    });
    stream.on('error', end);
    stream.on('close', () => end(new Error('it closed the connection')));
    stream.resume();
  }

  async u8(): Promise<number> {
    return (await this.take(1)).readUInt8();
  }

  async u16(): Promise<number> {
    return (await this.take(2)).readUInt16BE();
  }

  async u32(): Promise<number> {
    return (await this.take(4)).readUInt32BE();
  }

  /** Rejects if the stream ends before. */
  async take(length: number): Promise<Buffer> {
    while (this.#length < length) {
      if (this.#endReason !== null) throw this.#endReason;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const all =
      this.#chunks.length === 1 && this.#chunks[0] !== undefined ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#length -= length;
    this.#chunks = this.#length === 0 ? [] : [all.subarray(length)];
    return all.subarray(0, length);
  }
}
