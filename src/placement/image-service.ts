import type { LogLines } from '../base/log-lines.ts';
import type { StartedServer } from './shared-servers.ts';

/** How an image serves an environment. */
export interface ImageService {
  /** What the image is, for messages: `OpenEnv image`. */
  readonly what: string;
  /** The port in the container. */
  readonly port: number;
  /** The scheme of its address. */
  readonly scheme: 'http' | 'tcp';
  /** Environment variables of the container. */
  readonly variables: Readonly<Record<string, string>>;
  /** Resolves when it serves, with what is known of it. Otherwise rejects; the message is the end of a sentence. */
  ready(server: {
    readonly address: string;
    readonly logLines: LogLines;
    /** Resolves with how the container ended. */
    readonly exit: Promise<string>;
    readonly signal: AbortSignal;
  }): Promise<Pick<StartedServer, 'exclusive' | 'explain'>>;
}
