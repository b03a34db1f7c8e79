import type { OffsetEdit } from '../../base/lines.ts';
import { inSlices, runFor, type Work } from '../../base/slices.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { Diagnosis } from '../../language/findings/diagnosis.ts';
import type { TaskFile } from '../../tasks/rows.ts';

/** Milliseconds of synchronous work after a keystroke; the rest is done in slices. */
const SYNC_MS = 12;

/**
 * A parsed task file that follows the changes of its text and of the functions next to it. A keystroke is usually applied
 * synchronously. What takes longer runs in slices, and changes wait meanwhile. Loaded with the first task file.
 */
export class TrackedFile {
  readonly file: TaskFile;
  readonly diagnosis: Diagnosis;
  readonly #onChange: () => void;
  #userFunctions: UserFunctions;
  /** Version of the open document whose text it has; null if it was read from disk. */
  #version: number | null;
  readonly #waiting: OffsetEdit[] = [];
  #catchingUp: Promise<void> | undefined;
  #diagnosing: Promise<void> | undefined;
  #closed = false;

  /** @param onChange called when a change is applied, and when all rows are diagnosed */
  constructor(file: TaskFile, userFunctions: UserFunctions, version: number | null, onChange: () => void) {
    this.file = file;
    this.diagnosis = new Diagnosis(file, userFunctions);
    this.#userFunctions = userFunctions;
    this.#version = version;
    this.#onChange = onChange;
  }

  get userFunctions(): UserFunctions {
    return this.#userFunctions;
  }

  get version(): number | null {
    return this.#version;
  }

  /** A document with the same text was opened. From now on the file follows its changes. */
  followDocument(version: number): void {
    this.#version = version;
    if (this.diagnosis.complete) this.#prepareForChanges();
  }

  /** Whether all changes are applied. */
  get current(): boolean {
    return this.#catchingUp === undefined;
  }

  /** Resolves when all changes are applied; some rows may not be diagnosed yet. */
  async waitForChanges(): Promise<void> {
    while (this.#catchingUp !== undefined) await this.#catchingUp;
  }

  /** @param changes in order, each with offsets in the text after the previous one */
  change(changes: readonly OffsetEdit[], version: number): void {
    this.#version = version;
    this.#waiting.push(...changes);
    if (this.#catchingUp !== undefined) return;
    const work = this.#applyChanges();
    if (runFor(work, SYNC_MS)) {
      this.diagnose();
      return;
    }
    this.#catchingUp = inSlices(work).finally(() => {
      this.#catchingUp = undefined;
      this.diagnose();
    });
  }

  /** Replaces the user-defined functions next to the file. */
  setUserFunctions(userFunctions: UserFunctions): void {
    this.#userFunctions = userFunctions;
    if (this.current) this.diagnose();
  }

  close(): void {
    this.#closed = true;
  }

  *#applyChanges(): Work<void> {
    while (this.#waiting.length > 0) yield* this.file.change(this.#waiting.splice(0));
  }

  /** Diagnoses its rows: at once as many as possible, the others in slices. */
  diagnose(): void {
    if (this.#closed) return;
    const done = runFor(this.#diagnoseWhileCurrent(), SYNC_MS) && this.diagnosis.complete;
    this.#onChange();
    if (!done) this.#diagnosing ??= this.#continueDiagnosis();
  }

  /** Stops while a change is applied: the positions of rows are wrong until then. */
  *#diagnoseWhileCurrent(): Work<void> {
    for (const pause of this.diagnosis.update(this.#userFunctions)) {
      yield pause;
      if (!this.current) return;
    }
  }

  async #continueDiagnosis(): Promise<void> {
    while (!this.#closed && !this.diagnosis.complete) {
      await this.waitForChanges();
      await inSlices(this.#diagnoseWhileCurrent());
    }
    this.#diagnosing = undefined;
    if (this.#closed) return;
    this.#onChange();
    this.#prepareForChanges();
  }

  /** Does in the background what the first keystroke in a large file would otherwise wait for. */
  #prepareForChanges(): void {
    if (this.#version !== null) void inSlices(this.diagnosis.prepareForChanges());
  }
}
