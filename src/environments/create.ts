import type { EnvironmentKind } from '../functions/declaration.ts';
import { BrowserEnvironment } from './browser/environment.ts';
import type { Environment, EnvironmentTools } from './environment.ts';
import { QaEnvironment } from './qa.ts';

/** Makes an environment of a kind; it holds nothing until its first reset. */
export function createEnvironment(kind: EnvironmentKind, tools: EnvironmentTools): Environment {
  switch (kind) {
    case 'browser':
      return new BrowserEnvironment(tools);
    case 'qa':
      return new QaEnvironment();
  }
}
