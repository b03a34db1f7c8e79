import type { RecordedDocument, RecordedNode, RecordedPage } from '../../recorded.ts';

/** The resources that a restored page requests, and what is needed to restore it. */
export interface PageNeeds {
  /** Texts of style sheets by URL. */
  readonly sheets: ReadonlyMap<string, Uint8Array>;
  /** Sizes of images by URL. */
  readonly pictures: ReadonlyMap<string, readonly [number, number]>;
  /** URLs of documents without a doctype. */
  readonly quirks: ReadonlySet<string>;
  /** Texts of the style sheets that scripts have added, by name. */
  readonly adoptedSheets: Readonly<Record<string, string>>;
  /** Whether it is a single document without shadow roots. */
  readonly plain: boolean;
}

/** `resources`: texts by their hash. */
export function needsOf(page: RecordedPage, resources: Readonly<Record<string, Uint8Array>>): PageNeeds {
  const sheets = new Map<string, Uint8Array>();
  const pictures = new Map<string, readonly [number, number]>();
  const quirks = new Set<string>();
  const adoptedSheets: Record<string, string> = {};
  let plain = page.frames.length === 0;
  const adopt = (names: readonly string[] = []): void => {
    for (const name of names) {
      const text = resources[page.styles[name] ?? ''];
      if (text !== undefined) adoptedSheets[name] = Buffer.from(text).toString('utf8');
    }
  };
  const readNodes = (nodes: readonly RecordedNode[], base: string): void => {
    for (const node of nodes) {
      if (typeof node === 'string' || 'comment' in node) continue;
      const [, attributes, children, more] = node;
      readNodes(children, base);
      if (more === undefined) continue;
      if (more.shadow || more.frame || more.remote !== undefined) plain = false;
      if (more.shadow) readNodes(more.shadow.children, base);
      adopt(more.shadow?.sheets);
      if (more.frame) read(more.frame);
      const source = more.image && attributes[attributes.indexOf('src') + 1];
      if (more.image && source !== undefined && URL.canParse(source, base)) {
        pictures.set(new URL(source, base).href, more.image);
      }
    }
  };
  const read = (document: RecordedDocument): void => {
    adopt(document.sheets);
    if (document.quirks) quirks.add(document.url.split('#')[0] ?? '');
    for (const [address, name] of Object.entries(document.linked ?? {})) {
      const text = resources[page.styles[name] ?? ''];
      if (text !== undefined) sheets.set(address, text);
    }
    readNodes(document.children, document.url);
  };
  for (const document of [page.document, ...page.frames]) if (document) read(document);
  return { sheets, pictures, quirks, adoptedSheets, plain };
}

/** The needs of two pages together; null if a URL has different contents. */
export function mergeNeeds(a: PageNeeds, b: PageNeeds): PageNeeds | null {
  const same = [...b.sheets].every(([address, text]) => (a.sheets.get(address) ?? text) === text);
  const areSameSizes = [...b.pictures].every(
    ([address, size]) => String(a.pictures.get(address) ?? size) === String(size),
  );
  if (!same || !areSameSizes) return null;
  return {
    sheets: new Map([...a.sheets, ...b.sheets]),
    pictures: new Map([...a.pictures, ...b.pictures]),
    quirks: new Set([...a.quirks, ...b.quirks]),
    adoptedSheets: {},
    plain: a.plain && b.plain,
  };
}
