import * as z from 'zod';
import type { Json } from '../../../base/json.ts';
import { jsonSchema } from '../../../base/json-validator.ts';
import { storageOf } from '../../page/in-page/storage.ts';
import { callIn } from '../../page/page-calls.ts';
import { fold } from '../../page/page-text.ts';
import { readPage } from '../../page/read-page.ts';
import type { UserContext } from '../taskwright.ts';
import type { Answerer } from './process.ts';

const targetSchema = z.union([z.object({ url: z.string() }), z.object({ html: z.string() })]);

/** Answers questions of Python functions about their `state` from the current state of the environment. */
export function answerFrom(context: UserContext): Answerer {
  return async (question): Promise<Json> => {
    switch (question.ask) {
      case 'url':
        return context.page.url();
      case 'title':
        return context.page.title();
      case 'html':
        return context.page.content();
      case 'text':
        return lines((await readPage(context.page, { explain: false })).text);
      case 'cookies':
        return jsonSchema.parse(await context.page.context().cookies());
      case 'storage':
        return {
          local: await callIn(context.page.mainFrame(), storageOf, 'localStorage'),
          session: await callIn(context.page.mainFrame(), storageOf, 'sessionStorage'),
        };
      case 'observation':
        return jsonSchema.parse(context.episode.observation);
      case 'total_reward':
        return context.episode.totalReward;
      case 'environment':
        return jsonSchema.parse(await context.episode.state());
      case 'open':
        await context.open(targetSchema.parse(question['target']));
        return null;
      default:
        throw new Error(`state has no “${question.ask}”`);
    }
  };
}

/** The visible lines, with white space folded as in comparisons. */
function lines(text: string): string {
  return text
    .split('\n')
    .map(fold)
    .filter((line) => line !== '')
    .join('\n');
}
