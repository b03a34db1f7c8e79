import type { Writer } from '../writer.ts';
import { jsonWriter } from '../writer.ts';

/** YAML in its flow style: plain where a text reads as one, else as JSON, which is YAML too. */
export const yamlWriter: Writer = {
  value: (value) => (typeof value === 'string' && isPlain(value) ? value : jsonWriter.value(value)),
  member: (key) => `${isPlain(key) ? key : JSON.stringify(key)}: `,
};

/** Reads as this very text wherever it stands. */
function isPlain(text: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
}
