/** How the run panel draws the runs of a kind of environment. */
export interface KindView {
  readonly icon: 'globe' | 'speech' | 'folder' | 'screen' | 'box';
  /** What the run panel shows of a step: its screenshot, its commands and changed files, or its text alone. */
  readonly shows: 'screenshot' | 'files' | 'text';
  /** Says where keyboard input of a manual run goes. */
  readonly keyboardTarget: string;
}
