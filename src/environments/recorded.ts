import * as z from 'zod';
import { actionInputSchema } from '../actions/action.ts';
import type { NormalAction } from '../actions/normal.ts';

/** Version of what is recorded of a page. A reader refuses a newer one. */
export const PAGE_VERSION = 1;

/** A text, a comment or an element. Elements are arrays, so that a page of thousands of them stays small. */
export type RecordedNode = string | { readonly comment: string } | RecordedElement;

/** Attributes are name, value, name, value, … */
export type RecordedElement =
  | readonly [tag: string, attributes: readonly string[], children: readonly RecordedNode[]]
  | readonly [tag: string, attributes: readonly string[], children: readonly RecordedNode[], more: RecordedMore];

/** What markup does not say of an element; only what there is to say. */
export interface RecordedMore {
  /** Namespace, where it is not HTML's. */
  ns?: string;
  value?: string;
  checked?: boolean;
  indeterminate?: true;
  /** A list's chosen options, by their place. */
  selected?: number[];
  /** Names of the files in a file field. */
  files?: string[];
  modal?: true;
  popover?: true;
  focus?: true;
  scroll?: [x: number, y: number];
  /** What a canvas shows, as a data URL. */
  canvas?: string;
  /** Size of a picture's file in pixels. */
  image?: [width: number, height: number];
  /** Rules of a style element that are not those of its text. */
  rules?: string[];
  /** A style sheet that is switched off by a script. */
  off?: true;
  template?: RecordedNode[];
  shadow?: { children: RecordedNode[]; sheets?: string[]; delegatesFocus?: true; manual?: true };
  frame?: RecordedDocument;
  /** A frame of another site: its place in `RecordedPage.frames`. */
  remote?: number;
}

export interface RecordedDocument {
  url: string;
  doctype: [name: string, publicId: string, systemId: string] | null;
  quirks: boolean;
  children: RecordedNode[];
  scroll?: [x: number, y: number];
  /** Sheets that scripts have added, by their name in `RecordedPage.styles`. */
  sheets?: string[];
  /** Sheets behind an address, by their name in `RecordedPage.styles`. */
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

/** The tree is what our own code in the page wrote; whatever else stands there can do no more than draw a page. */
const documentSchema = z.custom<RecordedDocument>(
  (value) => typeof value === 'object' && value !== null && 'children' in value && Array.isArray(value.children),
  'no document',
);

/** The active page in one snapshot, as JSON in `pages.br`. */
export const recordedPageSchema = z.object({
  version: z.literal(PAGE_VERSION),
  url: z.string(),
  title: z.string(),
  /** Size of the window's inside in CSS pixels, and whether scroll bars take room in it. */
  viewport: z.object({ width: z.number(), height: z.number(), scroll_bars: z.boolean() }),
  cookies: z.array(cookieSchema),
  /** Entries of the tab's history. */
  history: z.number().int(),
  /** Names of what the page's scripts hold, which is not recorded. */
  names: z.array(z.string()),
  /** What else is not held, in words. */
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
  /** The way from it to the root. */
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
  /** The page right before the action, where a selector of the task asks for more than the chain. */
  page: recordedPageSchema.exactOptional(),
  /** Only in older recordings: selectors of the task that the element matched. */
  matched: z.array(z.string()).readonly().exactOptional(),
});
export type PastElement = z.infer<typeof pastElementSchema>;

/** What an action did, as evaluate functions may ask about it later. */
export const recordedActionSchema = z.object({
  input: actionInputSchema,
  /** Absent where it could not be read. */
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

/** A file that is not as it was when the task began, as a step tells it. */
export const fileChangeSchema = z.object({
  path: z.string(),
  kind: z.enum(['added', 'changed', 'removed']),
  before: contentNameSchema.exactOptional(),
  after: contentNameSchema.exactOptional(),
});

/** What is recorded beside an observation, for being judged again later. */
export interface RecordedState {
  /** A `RecordedPage` as JSON; null where the page could not be recorded, for the reason in `missing`. */
  readonly page: Uint8Array | null;
  readonly missing?: string;
  /** What pages refer to by its hash and no earlier step of the task has given: texts of style sheets. */
  readonly resources: Readonly<Record<string, Uint8Array>>;
  /** The actions of this step. */
  readonly actions: readonly RecordedAction[];
}
