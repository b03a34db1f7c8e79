import type { Browser } from 'playwright-core';
import type { EnvironmentKind } from '../functions/declaration.ts';
import { BrowserEnvironment } from './browser/environment.ts';
import type { Environment } from './environment.ts';
import { QaEnvironment } from './qa.ts';

/** What an environment is given. The browser is asked for only by environments that need one. */
export interface EnvironmentTools {
  /** A connected browser; the same one for every environment of a process. */
  browser(): Promise<Browser>;
  log(text: string): void;
}

/** Makes an environment of a kind; it holds nothing until its first reset. */
export function createEnvironment(kind: EnvironmentKind, tools: EnvironmentTools): Environment {
  switch (kind) {
    case 'browser':
      return new BrowserEnvironment(() => tools.browser(), tools.log);
    case 'qa':
      return new QaEnvironment();
  }
}
