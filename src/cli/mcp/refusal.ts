/** A call that a tool refuses. The message is for the agent: it says why, and what to do instead. */
export class Refusal extends Error {}
