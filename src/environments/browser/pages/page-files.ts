import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, sep } from 'node:path';
import { isNotFound } from '../../../base/file-kind.ts';
import { describeSystemError } from '../../../base/system-error.ts';
import { looksLikeTaskFile } from '../../../tasks/recognition.ts';
import type { TaskFiles } from '../../environment.ts';
import { comparablePath, ROLE_TEXTS, roleOfName } from '../../known-file.ts';
import type { Withheld } from '../../withheld.ts';
import { pagePath } from './page-address.ts';

/** The origin of a task's own pages. Requests to it are intercepted, so that no port is needed. */
export const TASK_ORIGIN = 'http://task.localhost';

/** The MIME types of page files. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.xhtml': 'application/xhtml+xml',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.vtt': 'text/vtt; charset=utf-8',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.svg': 'image/svg+xml',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.m4a': 'audio/mp4',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

/** Files larger than this are not served. */
const MAX_BYTES = 64 * 1024 * 1024;

export type PageFile =
  | { readonly body: Buffer; readonly type: string }
  /** Why it is not served, for the page's console. */
  | { readonly refusal: string };

/** Why a file is withheld from the agent because of its name, or null. `path` is relative, with `/`. */
export function whyWithheld(path: string): string | null {
  const parts = comparablePath(path).toLowerCase().split('/');
  if (parts.some((part) => part.startsWith('.'))) return 'its name starts with a dot';
  // Python's cache holds task files and functions in compiled form.
  const folder = ['node_modules', '__pycache__'].find((name) => parts.includes(name));
  if (folder !== undefined) return `it is in ${folder}`;
  const role = roleOfName(parts.at(-1) ?? '');
  return role && `it is ${ROLE_TEXTS[role]}`;
}

/**
 * The page files of a task, from its folder or as passed with the task. Refuses files that the run withholds, task
 * files, solutions, functions, agents, dot-files, links to files outside of the folder, and other types of files.
 */
export class PageFiles {
  readonly #files: TaskFiles;
  readonly #withheld: Withheld | null;

  /** @param withheld null if there is no run, as for pages of a benchmark */
  constructor(files: TaskFiles, withheld: Withheld | null = null) {
    this.#files = files;
    this.#withheld = withheld;
  }

  /** The file for a URL path (`/pages/shop.html`). */
  async page(pathname: string): Promise<PageFile> {
    const page = pagePath(pathname);
    if ('refusal' in page) return page;
    const type = TYPES[extname(page.path).toLowerCase()];
    const reason = whyWithheld(page.path);
    if (reason) return { refusal: `${page.path} is not served: ${reason}` };
    if (!type)
      return {
        refusal: `${page.path} is not served: only page files are (html, css, js, images, fonts, media, json)`,
      };
    const file = await this.#read(page.path);
    return 'refusal' in file ? file : { body: file.body, type };
  }

  /** The file for a URL path that a page offers as a download: of any type, with the same rules otherwise. */
  async download(pathname: string): Promise<{ readonly body: Buffer } | { readonly refusal: string }> {
    const page = pagePath(pathname);
    if ('refusal' in page) return page;
    const reason = whyWithheld(page.path);
    return reason ? { refusal: `${page.path} is not served: ${reason}` } : this.#read(page.path);
  }

  /** A file that an agent uploads to a page: of any type, with the same rules otherwise. */
  async upload(path: string): Promise<{ readonly name: string; readonly body: Buffer } | { readonly refusal: string }> {
    const page = pagePath(`/${encodeURI(path.replace(/^\.\//, ''))}`);
    if ('refusal' in page) return { refusal: `\`${path}\` cannot be handed to a page: ${page.refusal}` };
    const reason = whyWithheld(page.path);
    if (reason) return { refusal: `\`${path}\` cannot be handed to a page: ${reason}` };
    const file = await this.#read(page.path);
    return 'refusal' in file ? file : { name: page.path.split('/').at(-1) ?? page.path, body: file.body };
  }

  async #read(path: string): Promise<{ readonly body: Buffer } | { readonly refusal: string }> {
    if ('contents' in this.#files) {
      const body = Object.hasOwn(this.#files.contents, path) ? this.#files.contents[path] : undefined;
      return body ? { body: Buffer.from(body) } : { refusal: describeMissing(path) };
    }
    try {
      const folder = await realpath(this.#files.folder);
      const real = await realpath(join(folder, path));
      const inside = relative(folder, real);
      if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) {
        return { refusal: `${path} is not served: it is a link out of the folder of the task` };
      }
      // The target of a link inside of the folder must not be withheld.
      const reason = whyWithheld(inside.split(sep).join('/'));
      if (reason) return { refusal: `${path} is not served: ${reason}` };
      // Opening a pipe for reading could block forever.
      const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const facts = await handle.stat({ bigint: true });
        if (!facts.isFile()) return { refusal: `${path} is not a file; folders are not listed` };
        const role = this.#withheld?.roleOf(real, facts) ?? (looksLikeTaskFile(real) ? 'task' : null);
        if (role !== null) return { refusal: `${path} is not served: it is ${ROLE_TEXTS[role]}` };
        if (facts.size > MAX_BYTES) return { refusal: `${path} is larger than 64 MB` };
        return { body: await handle.readFile() };
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (isNotFound(error)) return { refusal: describeMissing(path) };
      return { refusal: `${path} cannot be read: ${describeSystemError(error)}` };
    }
  }
}

function describeMissing(path: string): string {
  return `the file ${path} does not exist next to the task`;
}
