import * as z from 'zod';
import { actionInputSchema } from '../actions/action.ts';
import type { NormalAction } from '../actions/normal.ts';
import type { FileMode } from '../functions/declaration.ts';

/** The version of recorded pages. Readers reject newer versions. */
export const PAGE_VERSION = 1;

/** A text, a comment, or an element. Elements are arrays to keep recordings small. */
export type RecordedNode = string | { readonly comment: string } | RecordedElement;

/** Attributes are name, value, name, value, … */
export type RecordedElement =
  | readonly [tag: string, attributes: readonly string[], children: readonly RecordedNode[]]
  | readonly [tag: string, attributes: readonly string[], children: readonly RecordedNode[], more: RecordedMore];

/** The state of an element that markup does not express, without defaults. */
export interface RecordedMore {
  /** The namespace, if it is not that of HTML. */
  ns?: string;
  value?: string;
  checked?: boolean;
  indeterminate?: true;
  /** The indices of selected options. */
  selected?: number[];
  /** Names of the files in a file field. */
  files?: string[];
  modal?: true;
  popover?: true;
  focus?: true;
  scroll?: [x: number, y: number];
  /** The content of a canvas, as a data URL. */
  canvas?: string;
  /** The natural size of an image in pixels. */
  image?: [width: number, height: number];
  /** The rules of a style element, if they differ from its text. */
  rules?: string[];
  /** Set if a script has disabled the style sheet. */
  off?: true;
  template?: RecordedNode[];
  shadow?: { children: RecordedNode[]; sheets?: string[]; delegatesFocus?: true; manual?: true };
  frame?: RecordedDocument;
  /** For a frame of another site: its index in `RecordedPage.frames`. */
  remote?: number;
}

export interface RecordedDocument {
  url: string;
  doctype: [name: string, publicId: string, systemId: string] | null;
  quirks: boolean;
  children: RecordedNode[];
  scroll?: [x: number, y: number];
  /** Style sheets that scripts have added, by their names in `RecordedPage.styles`. */
  sheets?: string[];
  /** Linked style sheets: URL → name in `RecordedPage.styles`. */
  linked?: Record<string, string>;
  storage?: { local: Record<string, string>; session: Record<string, string> };
}

const cookieSchema = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.enum(['Strict', 'Lax', 'None']),
});

/**
 * The tree is not validated: our code in the page wrote it, and other content could only change how the page is drawn.
 */
const documentSchema = z.custom<RecordedDocument>(
  (value) => typeof value === 'object' && value !== null && 'children' in value && Array.isArray(value.children),
  'no document',
);

/** The active page in one snapshot, as JSON in `pages.br`. */
export const recordedPageSchema = z.object({
  version: z.literal(PAGE_VERSION),
  url: z.string(),
  title: z.string(),
  /** The size of the viewport in CSS pixels, and whether scroll bars take space in it. */
  viewport: z.object({ width: z.number(), height: z.number(), scroll_bars: z.boolean() }),
  cookies: z.array(cookieSchema),
  /** Entries of the tab's history. */
  history: z.number().int(),
  /** The globals of the page's scripts, whose values are not recorded. */
  names: z.array(z.string()),
  /** Descriptions of what else is missing. */
  gaps: z.array(z.string()),
  /** Style sheets: the hash of the resource that holds the text, by name. */
  styles: z.record(z.string(), z.string()),
  document: documentSchema,
  /** Frames of other sites; null for one that could not be read. */
  frames: z.array(documentSchema.nullable()),
});
export type RecordedPage = z.infer<typeof recordedPageSchema>;

const plainElement = {
  tag: z.string(),
  attributes: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  states: z.array(z.string()).readonly().exactOptional(),
};
const beside = z.array(z.object(plainElement)).readonly();
const tags = z.array(z.string()).readonly();

/** The element that an action acted on. */
export const pastElementSchema = z.object({
  /** The path from it to the root. */
  chain: z
    .array(
      z.object({
        ...plainElement,
        before: beside,
        after: beside,
        far: z.object({ before: tags, after: tags }).exactOptional(),
        shadow: z.literal(true).exactOptional(),
      }),
    )
    .readonly(),
  /** The page right before the action, if a selector of the task needs more than the chain. */
  page: recordedPageSchema.exactOptional(),
  /** In older recordings: selectors of the task that the element matched. */
  matched: z.array(z.string()).readonly().exactOptional(),
});
export type PastElement = z.infer<typeof pastElementSchema>;

/** The record of an action for evaluate functions. */
export const recordedActionSchema = z.object({
  input: actionInputSchema,
  /** Undefined if it could not be parsed. */
  normalised: z
    .custom<NormalAction>((value) => typeof value === 'object' && value !== null && 'type' in value)
    .nullable(),
  error: z.string().nullable(),
  typed: z.string().nullable(),
  element: pastElementSchema.nullable(),
});
export type RecordedAction = z.infer<typeof recordedActionSchema>;

/** The name of a text in the folder of a run. Restricted, because servers and traces are not trusted. */
export const contentNameSchema = z.string().regex(/^[0-9a-f]{64}$/);

const fileModeSchema = z.enum(['100644', '100755', '120000']) satisfies z.ZodType<FileMode>;

/** A file or a link that has changed since the task started. */
export const fileChangeSchema = z.object({
  /** Relative to the folder, with `/`. */
  path: z.string(),
  kind: z.enum(['added', 'changed', 'removed']),
  /** The names of its original and its current text in `StepResult.contents`; absent for binary and large files. */
  before: contentNameSchema.exactOptional(),
  after: contentNameSchema.exactOptional(),
  /** Its modes; absent where it did not exist, and in older recordings. The text of a link is its target. */
  before_mode: fileModeSchema.exactOptional(),
  after_mode: fileModeSchema.exactOptional(),
  /** The target of a link. */
  target: z.string().exactOptional(),
  /** What a function reads through a link: the name of a text, or why it cannot be read. */
  link_content: contentNameSchema.exactOptional(),
  link_fault: z.string().exactOptional(),
});
export type RecordedFileChange = Readonly<z.infer<typeof fileChangeSchema>>;

/** A file that a page has downloaded. */
export const downloadSchema = z.object({
  /** Counts the downloads of a task, from 0. */
  id: z.number().int().min(0),
  /** As the page suggests it, so never a path. Two downloads can have the same name. */
  name: z.string(),
  state: z.enum(['started', 'completed', 'failed']),
  /** In bytes; null if it is not complete. */
  size: z.number().nullable(),
  /** The name of its content in `StepResult.contents`; absent if it is too large to record. */
  content: contentNameSchema.exactOptional(),
  /** Why it failed. */
  reason: z.string().exactOptional(),
});
export type RecordedDownload = Readonly<z.infer<typeof downloadSchema>>;

/** The state that is recorded with an observation for re-scoring. */
export interface RecordedState {
  /** A `RecordedPage` as JSON; null if the page could not be recorded, with the reason in `missing`. */
  readonly page: Uint8Array | null;
  readonly missing?: string;
  /** Resources of pages (texts of style sheets) that no earlier step of the task has returned, by hash. */
  readonly resources: Readonly<Record<string, Uint8Array>>;
  /** The actions of this step. */
  readonly actions: readonly RecordedAction[];
}
