import { createHash } from 'node:crypto';
import type { BrowserContext, Download } from 'playwright-core';
import { withTimeout } from '../../../base/timeout.ts';
import type { DownloadedFile } from '../../../functions/declaration.ts';
import { NotRecorded } from '../../../functions/not-recorded.ts';
import type { RecordedDownload } from '../../recorded.ts';
import type { Messages } from '../observing/messages.ts';
import { type PageFiles, TASK_ORIGIN } from './page-files.ts';

/** How long a step waits for the end of a download that it has started, in ms. */
const STEP_MS = 1000;
/** How long the end of a run waits for downloads, in ms. */
const END_MS = 10_000;
/** Downloads of a task, and the bytes of all of them. Further ones are cancelled. */
const MAX_DOWNLOADS = 100;
const MAX_BYTES = 1024 * 1024 * 1024;
/** The largest content that is recorded, and the bytes of all recorded contents of a task. */
const MAX_RECORDED = 16 * 1024 * 1024;
const MAX_ALL_RECORDED = 64 * 1024 * 1024;
const MAX_NAME = 255;

interface Entry {
  readonly download: Download;
  /** Its bytes in pieces, when it is complete. */
  readonly content: () => AsyncIterable<Uint8Array>;
  /** Replaced when it ends. */
  record: RecordedDownload;
  /** Settles when it has ended. */
  readonly end: Promise<void>;
  /** The last step has reported it as it is now. */
  isReported: boolean;
}

/** The files that the pages of a context have downloaded, in a temporary folder of the browser, which removes it. */
export class Downloads {
  readonly #messages: Messages;
  readonly #files: PageFiles;
  readonly #entries: Entry[] = [];
  #bytes = 0;
  #recordedBytes = 0;
  /** Contents to record, by hash. */
  #contents: Record<string, Uint8Array> = {};

  constructor(messages: Messages, files: PageFiles) {
    this.#messages = messages;
    this.#files = files;
  }

  listen(context: BrowserContext): void {
    context.on('download', (download) => this.#add(download));
  }

  /** Whether there was one. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Waits for a short time for the end of downloads that no step has reported. */
  async settle(): Promise<void> {
    await this.#await(STEP_MS, ({ isReported }) => !isReported);
  }

  /** Waits for the end of all downloads, for a longer time. */
  async finish(): Promise<void> {
    await this.#await(END_MS, () => true);
  }

  /** The downloads that have started or ended since the last call, and those in progress, with the contents to record. */
  take(): { readonly downloads: readonly RecordedDownload[]; readonly contents: Readonly<Record<string, Uint8Array>> } {
    const downloads: RecordedDownload[] = [];
    for (const entry of this.#entries) {
      const { record, isReported } = entry;
      if (!isReported) this.#messages.add('download', describeDownload(record), entry.download.page()?.url());
      if (!isReported || record.state === 'started') downloads.push(record);
      entry.isReported = true;
    }
    const contents = this.#contents;
    this.#contents = {};
    return { downloads, contents };
  }

  /** All downloads, for evaluate functions. */
  files(): readonly DownloadedFile[] {
    return this.#entries.map(({ record: { name, state, size }, content }) => ({ name, state, size, content }));
  }

  #add(download: Download): void {
    const id = this.#entries.length;
    const name = download.suggestedFilename().slice(0, MAX_NAME);
    if (id >= MAX_DOWNLOADS) {
      this.#messages.add('warning', `“${name}” was not downloaded: a task has at most ${MAX_DOWNLOADS} downloads`);
      cancel(download);
      return;
    }
    if (this.#bytes >= MAX_BYTES) cancel(download);
    const content = (): AsyncIterable<Uint8Array> => this.#contentOf(download);
    const entry: Entry = {
      download,
      content,
      record: { id, name, state: 'started', size: null },
      end: this.#follow(download, content()).then((end) => {
        entry.record = { id, name, ...end };
        entry.isReported = false;
      }),
      isReported: false,
    };
    this.#entries.push(entry);
  }

  /** Waits for the end of a download, and reads its content. Never rejects. */
  async #follow(
    download: Download,
    content: AsyncIterable<Uint8Array>,
  ): Promise<Omit<RecordedDownload, 'id' | 'name'>> {
    try {
      const failure = isOwn(download) ? null : await download.failure();
      if (failure !== null) return { state: 'failed', size: null, reason: failure };
      const hash = createHash('sha256');
      let size = 0;
      let chunks: Uint8Array[] | null = [];
      for await (const chunk of content) {
        size += chunk.byteLength;
        if (size > MAX_RECORDED) chunks = null;
        hash.update(chunk);
        chunks?.push(chunk);
      }
      this.#bytes += size;
      if (chunks === null || this.#recordedBytes + size > MAX_ALL_RECORDED) return { state: 'completed', size };
      const name = hash.digest('hex');
      this.#recordedBytes += size;
      this.#contents[name] = Buffer.concat(chunks);
      return { state: 'completed', size, content: name };
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      return { state: 'failed', size: null, reason };
    }
  }

  async *#contentOf(download: Download): AsyncGenerator<Uint8Array> {
    if (!isOwn(download)) {
      for await (const chunk of await download.createReadStream()) yield chunk as Uint8Array;
      return;
    }
    const file = await this.#files.download(new URL(download.url()).pathname);
    if ('refusal' in file) throw new Error(file.refusal);
    yield file.body;
  }

  async #await(ms: number, which: (entry: Entry) => boolean): Promise<void> {
    const pending = this.#entries.filter((entry) => entry.record.state === 'started' && which(entry));
    if (pending.length > 0) await withTimeout(ms, Promise.all(pending.map(({ end }) => end)));
  }
}

/** `“report.csv” was downloaded (1,234 bytes)` */
function describeDownload({ name, state, size, reason }: RecordedDownload): string {
  if (state === 'started') return `the download of “${name}” started`;
  if (state === 'failed') return `the download of “${name}” failed: ${reason ?? 'no reason is known'}`;
  return `“${name}” was downloaded (${(size ?? 0).toLocaleString('en')} bytes)`;
}

/** Whether it is a file next to the task: the browser does not send the request for it where such requests are answered. */
function isOwn(download: Download): boolean {
  return download.url().startsWith(`${TASK_ORIGIN}/`);
}

function cancel(download: Download): void {
  // Its context may be closed meanwhile.
  download.cancel().catch(() => undefined);
}

/** The downloads of a recorded run, for evaluate functions. */
export function recordedDownloads(
  downloads: readonly RecordedDownload[],
  resources: Readonly<Record<string, Uint8Array>>,
): readonly DownloadedFile[] {
  return downloads.map(({ name, state, size, content }) => ({
    name,
    state,
    size,
    async *content() {
      const bytes = content === undefined ? undefined : resources[content];
      if (bytes === undefined)
        throw new NotRecorded(`the content of the download “${name}” is not recorded: run the task again to judge it`);
      yield bytes;
    },
  }));
}
