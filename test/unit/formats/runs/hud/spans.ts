import { readRuns } from '../../../../../src/formats/runs/importers.ts';
import { numberStep } from '../../../../../src/traces/new-step.ts';
import type { Step } from '../../../../../src/traces/trace.ts';

type Payload = Readonly<Record<string, unknown>>;

/** Lines of a trace of HUD with these steps. */
export function spansOf(...payloads: readonly Payload[]): string {
  return payloads
    .map((payload, index) => {
      const attributes = { 'hud.schema': 'hud.step.v1', 'hud.payload': { step_id: index + 1, ...payload } };
      return JSON.stringify({ name: `step.${payload['source']}`, trace_id: 'a', span_id: 'b', attributes });
    })
    .join('\n');
}

/** The lines of the run that is read from these steps. */
export function linesOf(...payloads: readonly Payload[]): readonly Step[] {
  const [run] = readRuns(Buffer.from(spansOf(...payloads)), '/t/trace.jsonl', '2026-11-20T00:00:00.000Z');
  return (run?.steps ?? []).map(numberStep);
}

function said(text: string) {
  return [{ role: 'user', content: { type: 'text', text } }];
}

function result(text: string) {
  return { content: [{ type: 'text', text }] };
}

/** The steps of an agent that asks a sub-agent, which asks another one. */
export const ASKS_SUB_AGENT: readonly Payload[] = [
  { source: 'user', messages: said('How many r are in strawberry?') },
  {
    source: 'agent',
    content: 'I ask a counter.',
    reasoning: 'Letters are hard for me.\nA counter is better.',
    tool_calls: [{ name: 'bash', arguments: { command: 'ls' }, id: '1' }],
    model: 'scripted-1',
    usage: { prompt_tokens: 1200, completion_tokens: 80, cached_tokens: 1000, cost_usd: 0.0123 },
  },
  { source: 'tool', call: { name: 'bash', arguments: { command: 'ls' }, id: '1' }, result: result('counter.py') },
  {
    source: 'subagent',
    subagent: {
      status: 'completed',
      content: 'three',
      steps: [
        { source: 'user', messages: said('Count the letters r.') },
        { source: 'agent', reasoning: 'r, r, r', tool_calls: [{ name: 'count', arguments: null, id: '2' }] },
        { source: 'tool', call: { name: 'count' }, result: { ...result('not found'), isError: true } },
        { source: 'subagent', error: 'gone', subagent: { steps: [{ source: 'agent', content: 'deep' }] } },
        { source: 'agent', content: 'three', done: true },
      ],
    },
  },
  { source: 'agent', content: '3', done: true, citations: [{ text: 'r', source: 'https://words.example' }] },
];
