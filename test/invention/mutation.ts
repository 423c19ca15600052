import type { Condition } from '../../src/plan/conditions.ts';
import { STAGES } from '../../src/plan/conditions.ts';
import type { Contract, Stated } from './contract.ts';
import type { Draft } from './draft.ts';
import type { Random } from './random.ts';
import type { Sent } from './sent.ts';
import type { Reply } from './wire.ts';
import type { World } from './world.ts';

/** What one mutation brings about when it is the only one: a condition, a code of a step or rule, or HTTP’s own status. */
export type Effect = { readonly condition: Condition } | { readonly code: string } | { readonly bare: number };

export interface FaultMade {
  readonly place: 'pointer' | 'parameter';
  readonly name: string;
  readonly code: string;
}

/** What a mutation may use. */
export interface Bench {
  readonly world: World;
  readonly contract: Contract;
  readonly random: Random;
  readonly send: (sent: Sent) => Promise<Reply>;
  /** Names that no other case uses. */
  readonly fresh: () => { sku: string; key: string };
}

/** One way of changing a valid request. */
export interface Mutation {
  readonly name: string;
  /** The parts of the request that it takes for itself: two mutations of one part exclude each other. */
  readonly slots: readonly string[];
  /** Null: the request stays valid. */
  readonly effect: Effect | null;
  /** The state that the order is to be in, where it isn’t the one that the endpoint wants. */
  readonly state?: string;
  /** True where it changes the order that the request is sent to. */
  readonly touches?: boolean;
  at(draft: Draft, contract: Contract): boolean;
  /** Changes the draft; gives the faults that the answer has to list. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most mutations make no faults and return nothing
  apply(draft: Draft, bench: Bench): FaultMade[] | void | Promise<FaultMade[] | void>;
}

const always = (): boolean => true;

/** A mutation that brings about a condition, wherever it can arise. */
export function causes(
  condition: Condition,
  slots: readonly string[],
  name: string,
  apply: Mutation['apply'],
  at: Mutation['at'] = always,
): Mutation {
  const arises = (endpoint: Stated): boolean =>
    endpoint.conditions.includes(condition) || (STAGES.Routing as readonly Condition[]).includes(condition);
  return {
    name: `${condition}: ${name}`,
    slots,
    effect: { condition },
    at: (draft, contract) => arises(draft.endpoint) && at(draft, contract),
    apply,
  };
}

/** A change after which a request is as valid as before. */
export function harmless(
  slots: readonly string[],
  name: string,
  apply: Mutation['apply'],
  at: Mutation['at'] = always,
): Mutation {
  return { name: `harmless: ${name}`, slots, effect: null, at, apply };
}

const ORDER: readonly Condition[] = Object.values(STAGES).flat();
const STEPS = ORDER.indexOf('precondition missing');

/** Where in the order of checks an effect stands at an endpoint: what stands first is answered. */
export function rank(effect: Effect, endpoint: Stated, contract: Contract): number {
  if ('bare' in effect) return -1;
  const { steps, parameters } = endpoint.effective;
  const match = steps.findIndex((step) => step.verb === 'Match');
  if ('condition' in effect) {
    if (effect.condition === 'precondition missing') return STEPS + match + 1;
    if (effect.condition === 'precondition failed') return STEPS + match + 1.5;
    return ORDER.indexOf(effect.condition);
  }
  if (parameters.some((parameter) => parameter.otherwise?.text === effect.code)) return STEPS;
  const at = steps.findIndex((step) => contract.codesOf(step, steps).includes(effect.code));
  if (at < 0) throw new Error(`Nothing at ${endpoint.name} raises ${effect.code}`);
  return STEPS + at + 1;
}

/** Whether a request is refused before any step sees it. */
export function isEarly(effects: readonly Effect[], endpoint: Stated, contract: Contract): boolean {
  return effects.some((effect) => rank(effect, endpoint, contract) < STEPS);
}

/** The status and code that the effects of several mutations come to: the first in the order of checks. */
export function expected(
  effects: readonly Effect[],
  endpoint: Stated,
  contract: Contract,
): { status: number; code: string } {
  const first = [...effects].sort((a, b) => rank(a, endpoint, contract) - rank(b, endpoint, contract))[0];
  if (!first) return { status: endpoint.answer.status.value, code: String(endpoint.answer.status.value) };
  if ('bare' in first) return { status: first.bare, code: `bare ${first.bare}` };
  return 'code' in first ? contract.coded(first.code) : contract.outcome(first.condition)!;
}
