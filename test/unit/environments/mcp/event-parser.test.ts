import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventParser } from '../../../../src/environments/mcp/client/event-parser.ts';

const STREAM = ': hello\r\nevent: message\r\ndata: {"a":\ndata:1}\n\ndata\n\nid: 7\rdata: b: ü\r\rdata: cut off';
const EVENTS = ['{"a":\n1}', '', 'b: ü'];

function parsed(chunks: readonly string[]): string[] {
  const events: string[] = [];
  const parser = new EventParser((data) => events.push(data));
  for (const chunk of chunks) parser.add(chunk);
  return events;
}

it('reads the data of complete events', () => {
  expect(parsed([STREAM])).toEqual(EVENTS);
});

it('does so wherever a stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
      expect(parsed(at.map((end, index) => STREAM.slice(at[index - 1] ?? 0, end)))).toEqual(EVENTS);
    }),
  );
});
