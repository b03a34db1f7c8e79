import type { EnvironmentKind } from '../functions/declaration.ts';
import { BrowserEnvironment } from './browser/environment.ts';
import type { Environment, EnvironmentTools } from './environment.ts';
import { QaEnvironment } from './qa.ts';

/**
 * Makes an environment of a kind; it holds nothing until its first reset. What only one kind needs is loaded with the
 * first of that kind.
 */
export async function createEnvironment(kind: EnvironmentKind, tools: EnvironmentTools): Promise<Environment> {
  switch (kind) {
    case 'browser':
      return new BrowserEnvironment(tools);
    case 'qa':
      return new QaEnvironment();
    case 'coding':
      return new (await import('./coding/environment.ts')).CodingEnvironment(tools.log);
    case 'custom': {
      const [{ CustomEnvironment }, { localController }] = await Promise.all([
        import('./custom/environment.ts'),
        import('./custom/python.ts'),
      ]);
      return new CustomEnvironment((options) => localController(options, tools.log), tools.log);
    }
    case 'desktop':
      return new (await import('./desktop/environment.ts')).DesktopEnvironment(tools);
  }
}
