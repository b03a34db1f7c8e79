import { defined } from '../../base/defined.ts';
import { isSecretField } from '../../environments/browser/secret-field.ts';
import type { RecordedDocument, RecordedMore, RecordedNode, RecordedPage } from '../../environments/recorded.ts';
import { UNNAMED } from '../../functions/masked.ts';

type Write = (text: string) => string;

/** Listed as a gap of a page that contains masked text. */
export const MASKED = 'masked secrets';

/** Masks all text of a recorded page, and single characters in password fields, but not its structure. */
export function maskPage(page: RecordedPage, write: Write): RecordedPage {
  const { url, title, cookies, names, gaps, document, frames } = page;
  const maskedPage: RecordedPage = {
    ...page,
    url: write(url),
    title: write(title),
    cookies: cookies.map((cookie) => ({ ...cookie, value: write(cookie.value) })),
    names: names.map(write),
    gaps: gaps.map(write),
    document: maskDocument(document, write),
    frames: frames.map((frame) => frame && maskDocument(frame, write)),
  };
  if (JSON.stringify(maskedPage) === JSON.stringify(page)) return page;
  return { ...maskedPage, gaps: [...new Set([...maskedPage.gaps, MASKED])] };
}

function maskDocument(document: RecordedDocument, write: Write): RecordedDocument {
  const { url, children, linked, storage } = document;
  const mapAll = (all: Record<string, string>, onValue = write): Record<string, string> =>
    Object.fromEntries(Object.entries(all).map(([key, value]) => [write(key), onValue(value)]));
  return {
    ...document,
    url: write(url),
    children: maskNodes(children, write),
    ...defined({
      linked: linked && mapAll(linked, (name) => name),
      storage: storage && { local: mapAll(storage.local), session: mapAll(storage.session) },
    }),
  };
}

function maskNodes(nodes: readonly RecordedNode[], write: Write): RecordedNode[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return write(node);
    if ('comment' in node) return { comment: write(node.comment) };
    const [tag, attributes, children, more] = node;
    const maskedAttributes = attributes.map((text, index) => (index % 2 === 0 ? text : write(text)));
    const inner = maskNodes(children, write);
    if (more === undefined) return [tag, maskedAttributes, inner];
    const maskedMore = maskMore(more, write);
    // A single character is no secret elsewhere: it may be part of any word.
    const isCharacter = [...(maskedMore.value ?? '')].length === 1;
    const isMasked = isCharacter && isSecretField(tag, pairs(attributes));
    return [tag, maskedAttributes, inner, isMasked ? { ...maskedMore, value: UNNAMED } : maskedMore];
  });
}

function pairs(attributes: readonly string[]): [name: string, value: string][] {
  return attributes.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, attributes[index + 1] ?? '']] : [],
  );
}

function maskMore(more: RecordedMore, write: Write): RecordedMore {
  const { value, files, rules, template, shadow, frame } = more;
  return {
    ...more,
    ...(value === undefined ? {} : { value: write(value) }),
    ...(files === undefined ? {} : { files: files.map(write) }),
    ...(rules === undefined ? {} : { rules: rules.map(write) }),
    ...(template === undefined ? {} : { template: maskNodes(template, write) }),
    ...(shadow === undefined ? {} : { shadow: { ...shadow, children: maskNodes(shadow.children, write) } }),
    ...(frame === undefined ? {} : { frame: maskDocument(frame, write) }),
  };
}
