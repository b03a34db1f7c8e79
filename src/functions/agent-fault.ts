/** Thrown if the agent's output cannot be evaluated: the value of the call is 0, and the message is the reason. */
export class AgentFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AgentFault';
  }
}
