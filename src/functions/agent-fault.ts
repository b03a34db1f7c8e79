/** What the agent made cannot be judged: the call counts as 0, with these words as its reason. */
export class AgentFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AgentFault';
  }
}
