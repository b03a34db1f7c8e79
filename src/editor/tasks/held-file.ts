import type { UserFunctions } from '../../environments/user-functions.ts';
import type { Diagnosis } from '../../language/findings/diagnosis.ts';
import type { OffsetEdit } from '../../tasks/lines.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import type { Work } from '../../tasks/slices.ts';

/** Milliseconds that a keystroke may take at once; what takes longer is done in slices. */
const AT_ONCE_MS = 12;

/** What holding a file needs of the lower floors, loaded when the first task file is read. */
export interface Means {
  readonly diagnosis: (file: TaskFile, own: UserFunctions) => Diagnosis;
  readonly during: (work: Work<unknown>, ms: number) => boolean;
  readonly inSlices: <T>(work: Work<T>) => Promise<T>;
}

/**
 * A task file that was read, kept up with the changes of its text and of the functions beside it. An ordinary keystroke
 * is taken in at once; what takes longer goes on in slices, and what changes meanwhile waits.
 */
export class HeldFile {
  readonly file: TaskFile;
  readonly diagnosis: Diagnosis;
  readonly #means: Means;
  readonly #news: () => void;
  #own: UserFunctions;
  /** Version of the open document whose text it has; null where it was read from disk. */
  #version: number | null;
  readonly #waiting: OffsetEdit[] = [];
  #catchingUp: Promise<void> | undefined;
  #judging: Promise<void> | undefined;
  #closed = false;

  /** @param news called when it is up to date with a change, and when all its rows are judged */
  constructor(file: TaskFile, own: UserFunctions, version: number | null, means: Means, news: () => void) {
    this.file = file;
    this.diagnosis = means.diagnosis(file, own);
    this.#own = own;
    this.#version = version;
    this.#means = means;
    this.#news = news;
  }

  /** Begins to judge its rows. */
  start(): void {
    this.#judge();
  }

  get own(): UserFunctions {
    return this.#own;
  }

  get version(): number | null {
    return this.#version;
  }

  /** A document was opened that has the very text: from now on it is told of that document's changes. */
  opened(version: number): void {
    this.#version = version;
  }

  /** All changes that it was told of are taken in. */
  get current(): boolean {
    return this.#catchingUp === undefined;
  }

  /** Resolves when all changes are taken in; the rows may not all be judged yet. */
  async caughtUp(): Promise<void> {
    while (this.#catchingUp !== undefined) await this.#catchingUp;
  }

  /** @param changes one after the other, each in offsets of the text as the one before it left it */
  change(changes: readonly OffsetEdit[], version: number): void {
    this.#version = version;
    this.#waiting.push(...changes);
    if (this.#catchingUp !== undefined) return;
    const work = this.#takeIn();
    if (this.#means.during(work, AT_ONCE_MS)) {
      this.#judge();
      return;
    }
    this.#catchingUp = this.#means.inSlices(work).finally(() => {
      this.#catchingUp = undefined;
      this.#judge();
    });
  }

  /** The functions beside the file are others now. */
  setOwn(own: UserFunctions): void {
    this.#own = own;
    if (this.current) this.#judge();
  }

  close(): void {
    this.#closed = true;
  }

  *#takeIn(): Work<void> {
    while (this.#waiting.length > 0) yield* this.file.change(this.#waiting.splice(0));
  }

  #judge(): void {
    if (this.#closed) return;
    const done = this.#means.during(this.#judgeWhileCurrent(), AT_ONCE_MS) && this.diagnosis.complete;
    this.#news();
    if (!done) this.#judging ??= this.#judgeOn();
  }

  /** Rows are not where they say they are while a change is being taken in. */
  *#judgeWhileCurrent(): Work<void> {
    for (const pause of this.diagnosis.update(this.#own)) {
      yield pause;
      if (!this.current) return;
    }
  }

  async #judgeOn(): Promise<void> {
    while (!this.#closed && !this.diagnosis.complete) {
      await this.caughtUp();
      await this.#means.inSlices(this.#judgeWhileCurrent());
    }
    this.#judging = undefined;
    if (!this.#closed) this.#news();
  }
}
