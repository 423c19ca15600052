import {
  admits,
  type Credentials,
  callerConditions,
  concealedFrom,
  haveAudiences,
  type LeftOut,
} from '../../plan/audience.ts';
import type { BodyPlan, DescriptionFormat, Plan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import { type Compiled, type Expressions, evaluate, NO_NAMES } from '../expressions/layout.ts';
import type { StepRun } from './steps/context.ts';

/**
 * Returns the description of a service in one format and version (null where the document has no versions), without some
 * endpoints; null where there is no such version. Without `leftOut`: those that are for nobody.
 */
export type Describer = (format: DescriptionFormat, version: string | null, leftOut?: LeftOut) => string | null;

/** Loads what describes a service. It is made outside the runtime, which knows nothing of exports. */
export type Describe = (plan: Plan) => Promise<Describer>;

type Description = Extract<BodyPlan, { kind: 'description' }>;

/** The texts that the endpoints of a document’s `Description` answer with. */
export class Descriptions {
  private readonly plan: Plan;
  private readonly describer: Describer | null;

  private constructor(plan: Plan, describer: Describer | null) {
    this.plan = plan;
    this.describer = describer;
  }

  /**
   * Loads what describes the service, and makes the descriptions that are the same for all callers, in each version that
   * is not retired; without `describe`, or endpoints that answer with descriptions, does nothing.
   */
  static async made(plan: Plan, describe: Describe | null): Promise<Descriptions> {
    const bodies = plan.endpoints.flatMap(({ after }) => (after?.body?.kind === 'description' ? [after.body] : []));
    const describer = describe && bodies.length > 0 ? await describe(plan) : null;
    const descriptions = new Descriptions(plan, describer);
    for (const body of bodies)
      if (descriptions.isSame(body)) for (const version of answeredIn(plan)) describer?.(body.format, version);
    return descriptions;
  }

  /** Whether all callers get the same description. */
  private isSame({ content }: Description): boolean {
    return content === 'every endpoint' && !haveAudiences(this.plan.endpoints);
  }

  /** Compiles the text of a description for the caller of a request, in the version of the request. */
  compile(body: Description, expressions: Expressions): (run: StepRun) => Program<string> {
    const { endpoints } = this.plan;
    const { format, content } = body;
    const isSame = this.isSame(body);
    const uncalledBy = content === 'every endpoint' ? null : uncalledIn(endpoints, expressions);
    const { describer } = this;
    return function* described(run) {
      const { known, frame, apiVersion } = run.x;
      const caller = { scheme: known?.scheme.name ?? null, scopes: frame.scopes };
      const leftOut = isSame
        ? undefined
        : {
            uncalled: uncalledBy ? yield* uncalledBy(run, caller) : new Set<string>(),
            concealed: concealedFrom(endpoints, [caller]),
          };
      const text = describer?.(format, apiVersion.version === '' ? null : apiVersion.version, leftOut);
      if (typeof text !== 'string') throw new Error(`Nothing was given that describes the service in ${format}`);
      return text;
    };
  }
}

/** Compiles the endpoints that a caller may not call: by their Access, and by conditions about the caller alone. */
function uncalledIn(endpoints: Plan['endpoints'], expressions: Expressions) {
  const conditions = new Map<string, Compiled>();
  const needed = endpoints.map((endpoint) =>
    callerConditions(endpoint).map((condition) => {
      // Conditions with one text may be about callers of different resources.
      const text = JSON.stringify(condition);
      if (!conditions.has(text)) conditions.set(text, expressions.compile(condition, NO_NAMES));
      return text;
    }),
  );
  return function* uncalled(run: StepRun, caller: Credentials): Program<ReadonlySet<string>> {
    const results = new Map<string, boolean>();
    const out = new Set<string>();
    for (const [i, endpoint] of endpoints.entries()) {
      let may = admits(endpoint, caller);
      for (const text of may ? needed[i]! : []) {
        const known = results.get(text) ?? (yield* evaluate(conditions.get(text)!, run.work.frame)) === true;
        results.set(text, known);
        may &&= known;
      }
      if (!may) out.add(endpoint.name);
    }
    return out;
  };
}

function answeredIn({ versions }: Plan): Array<string | null> {
  if (!versions) return [null];
  return [versions.current, ...versions.older.flatMap(({ name, retired }) => (retired ? [] : [name]))];
}
