/** An agent as a person names it. */
export type AgentSpec =
  | { readonly kind: 'noop' }
  | { readonly kind: 'replay'; readonly path: string }
  | { readonly kind: 'module'; readonly path: string }
  | { readonly kind: 'process'; readonly command: readonly string[] };

/** The choices, as they are said to a person who named none. */
export const AGENT_CHOICES = 'noop, replay:FILE, replay:RUN_FOLDER, module:FILE or process:COMMAND';

/** An agent that cannot be used as it was named: why, and what to do. */
export class AgentError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AgentError';
    this.code = code;
  }
}
