import { emptyFrame } from '../../expression/values/value.ts';
import { header } from '../../http/headers.ts';
import { accepts } from '../../http/media.ts';
import { answersIn } from '../../plan/answered.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { FORM_TYPE, JSON_TYPE } from '../../plan/media-types.ts';
import { allNested, issues, mapInside, writes } from '../../plan/nested-steps.ts';
import { declaredBy } from '../../plan/slots.ts';
import type { AnswerStep, BeforeStep, EndpointPlan, InsideStep, PagePlan, Plan } from '../../plan/step.ts';
import { type DeprecationPlan, earliest, endingHeaders, endingOf } from '../../plan/versions.ts';
import type { Call, Store } from '../../store/store.ts';
import type { Callers } from '../authentication/authenticate.ts';
import type { Issuers } from '../authentication/issue.ts';
import type { Refusal } from '../context/refusal.ts';
import type { ApiVersion, RequestContext } from '../context/request-context.ts';
import { compileAnswer, viewsOf } from '../endpoints/answer.ts';
import { bodyReader, bodyRefuser, bytesReader, contentChecker } from '../endpoints/body.ts';
import { isLookedThrough, representationOf } from '../endpoints/conditional.ts';
import type { Descriptions } from '../endpoints/descriptions.ts';
import type { Following } from '../endpoints/handlers/calls.ts';
import type { Handlers } from '../endpoints/handlers/handlers.ts';
import type { KeptAnswers, KeyPlan } from '../endpoints/idempotency.ts';
import { parameterReader } from '../endpoints/parameters.ts';
import { partsReader } from '../endpoints/parts.ts';
import { bodyValidator, valueNames } from '../endpoints/payload.ts';
import {
  type Answering,
  newRun,
  type Representation,
  type Step,
  type StepContext,
  type StepRun,
} from '../endpoints/steps/context.ts';
import { type Cursors, pageReader } from '../endpoints/steps/cursors.ts';
import { answerOf, compileSteps } from '../endpoints/steps/nested.ts';
import { compileStep } from '../endpoints/steps.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Recorder } from '../events/events.ts';
import type { Streams } from '../events/streams.ts';
import { type Expressions, type Names, NO_NAMES, namesOf } from '../expressions/layout.ts';
import type { Files } from '../files/files.ts';
import type { Rates } from '../limits/limits.ts';
import type { Passwords } from '../resources/passwords.ts';
import type { Resource } from '../resources/rules.ts';
import type { ShowContext } from '../resources/shown.ts';
import type { ScheduledSteps } from '../schedules/schedules.ts';
import type { Versions } from '../versioning/versions.ts';

/** One step before the transaction: a refusal stops the request. */
type Before = (request: RequestContext) => Refusal | null | Promise<Refusal | null>;

/** An endpoint, compiled: nothing in it is looked up by name while it runs. */
export interface Endpoint {
  readonly plan: EndpointPlan;
  readonly before: readonly Before[];
  readonly inside: readonly Step[];
  readonly answer: Answering;
  readonly key: KeyPlan | null;
  /** The value of Vary in the endpoint's answers, beside what an answer adds; null where there is none. */
  readonly vary: string | null;
  /** Returns the headers of a deprecated endpoint, in a version (null: not known yet); null where it is not deprecated. */
  readonly ending: ((version: ApiVersion | null) => readonly string[]) | null;
  /**
   * Whether the caller's credentials are checked once more in the transaction: the endpoint writes, or issues
   * credentials.
   */
  readonly again: boolean;
  /** The calls of its steps that depend on the request alone; null where calls do not travel. */
  readonly ahead: ((run: StepRun) => Call[]) | null;
}

/** The parts of an engine that compiled steps use. */
interface CompilerParts {
  readonly plan: Plan;
  readonly store: Store;
  readonly errors: Errors;
  readonly expressions: Expressions;
  readonly versions: Versions;
  readonly rates: Rates;
  readonly callers: Callers | null;
  readonly issuers: Issuers;
  readonly passwords: Passwords | null;
  readonly handlers: Handlers;
  readonly keptAnswers: KeptAnswers;
  readonly files: Files;
  readonly cursors: Cursors;
  readonly descriptions: Descriptions;
  readonly streams: Streams | null;
  readonly recorder: Recorder;
  readonly show: ShowContext;
  /** Returns a resource that the plan names. */
  readonly resource: (name: string) => Resource;
}

/** Compiles endpoints, and the steps that run without a request. */
export class EndpointCompiler {
  private readonly parts: CompilerParts;

  constructor(parts: CompilerParts) {
    this.parts = parts;
  }

  compile(plan: EndpointPlan): Endpoint {
    const { errors, streams, descriptions, show, expressions } = this.parts;
    const names = namesOf(plan);
    const page = plan.before.find((step) => step.do === 'read page')?.page ?? null;
    const views = viewsOf(plan, show);
    const answering = (step: AnswerStep): Answering =>
      compileAnswer(step, { ...show, errors, names, page, views, streams, descriptions });
    const context = { ...this.stepContext(names, expressions, views, page, plan.writes), answering };
    const steps = compileSteps(plan.inside, context, compileStep);
    const last = plan.after && answering(plan.after);
    return {
      plan,
      before: this.compileBefore(plan, page),
      inside: [...context.first, ...steps],
      answer: answersIn(plan.inside).length === 0 && last ? last : answerOf(last),
      key: plan.before.find((step) => step.do === 'claim key') ?? null,
      vary: plan.vary.join(', ') || null,
      ending: plan.deprecation ? endingHeadersOf(plan.deprecation) : null,
      again: plan.writes || issues(plan.inside),
      ahead: this.parts.store.travels && plan.writes ? this.ahead(plan, steps) : null,
    };
  }

  /**
   * Returns the calls that depend on a request alone. The steps before the first change make some of them; the events of
   * the changes that no condition guards need the others.
   */
  private ahead(plan: EndpointPlan, steps: readonly Step[]): (run: StepRun) => Call[] {
    const first = plan.inside.findIndex((step) => writes([step]));
    const reading = steps.slice(0, first < 0 ? steps.length : first).flatMap(({ ahead }) => ahead ?? []);
    // Events of one row are numbered while the row is locked: only after all finds that come before.
    const before = first < 0 ? [] : plan.inside.slice(0, first);
    const isLocked = before.every((step, i) => step.do !== 'find' || steps[i]?.ahead);
    const recording = isLocked ? plan.inside.flatMap((step) => this.recording(step)) : [];
    return (run) => [...reading.flatMap((ahead) => ahead(run)), ...recording];
  }

  /** The calls that record the event of a step, if it changes a row. */
  private recording(step: InsideStep): Call[] {
    const { recorder, resource } = this.parts;
    switch (step.do) {
      case 'create':
        return recorder.ahead({ what: 'created', by: null }, resource(step.resource).plan);
      case 'change':
      case 'issue secret':
        return recorder.ahead({ what: 'changed', by: null }, resource(step.resource).plan);
      case 'move':
        return recorder.ahead({ what: 'moved', by: step.by }, resource(step.resource).plan);
      case 'remove':
        return recorder.ahead({ what: 'removed', by: null }, resource(step.resource).plan);
      default:
        return [];
    }
  }

  /** Adds the steps that follow transitions of a resource: they run in the same transaction, without a caller. */
  addReactions(resource: Resource): void {
    for (const { name, then } of transitionsIn(resource.plan.machines)) {
      if (then.length === 0) continue;
      const steps = this.compileUnasked(then, ['moved']);
      resource.reactions.set(name, (work, row) => {
        const { now, version, drawn } = work.frame;
        return steps(work, { ...emptyFrame(now, version, drawn), vars: [row] });
      });
    }
  }

  /**
   * Compiles the steps that run after handlers that reach outside: after an answer, and after the last failure. The
   * keys are names of handlers.
   */
  following(): ReadonlyMap<string, Following> {
    const outside = this.parts.plan.handlers.filter((handler) => handler.kind === 'outside');
    return new Map(
      outside.map((handler) => [
        handler.name,
        {
          answers: this.compileUnasked(handler.answers, ['given', 'answer']),
          fails: this.compileUnasked(handler.failing, ['given', 'failure']),
        },
      ]),
    );
  }

  /** Compiles the steps of schedules. The keys are names of schedules. */
  scheduled(): ReadonlyMap<string, ScheduledSteps> {
    const { schedules = [] } = this.parts.plan;
    return new Map(schedules.map(({ name, steps }) => [name, this.compileUnasked(steps, ['scheduled'])]));
  }

  /**
   * Compiles steps that run without a request: they see every row, and the frame holds the values of their `first`
   * names.
   */
  private compileUnasked(then: readonly InsideStep[], first: readonly string[]): Following['answers'] {
    const made = [...allNested(then)].flatMap(declaredBy);
    const names: Names = { ...NO_NAMES, vars: [...first, ...new Set(made)] };
    const context = this.stepContext(names, this.parts.expressions.seeingAll(), new Map());
    const steps = then.map((step) => compileStep(step, context));
    return function* unasked(work, frame) {
      // These steps have no request: `check` refuses steps here that read one.
      const x = null as unknown as RequestContext;
      const run = newRun(x, work.within(frame));
      for (const step of steps) yield* step(run);
    };
  }

  private stepContext(
    names: Names,
    expressions: Expressions,
    views: StepContext['views'],
    page: PagePlan | null = null,
    writes = true,
  ): StepContext {
    const { plan, store, errors, files, handlers, cursors, issuers, passwords, resource, show } = this.parts;
    return {
      writes,
      store,
      expressions,
      errors,
      files,
      handlers,
      cursors,
      issuers,
      passwords,
      wire: plan.wire,
      page,
      names,
      emitted: plan.emitted ?? [],
      show,
      resource,
      answering: () => {
        throw new Error('Steps without a request have no answer');
      },
      representation: (get: string) => this.representation(get),
      first: [],
      views,
    };
  }

  /** Compiles a GET for use within a write; a GET that is not settled has no validators. */
  private representation(name: string): Representation {
    const plan = this.parts.plan.endpoints.find((one) => one.name === name);
    if (!plan) throw new Error(`The plan has no endpoint ${name}`);
    const read = plan.before
      .filter(isLookedThrough)
      .map((step) => (step.do === 'read parameters' ? { ...step, unknown: 'ignored' as const } : step));
    // A row that a later step of the write may change is read whole.
    const inside = mapInside(plan.inside, (step) => ('reads' in step ? { ...step, reads: null } : step));
    const { before, inside: steps, answer } = this.compile({ ...plan, before: read, inside, writes: true });
    return representationOf({ name, before, inside: steps, answer });
  }

  /**
   * Compiles the steps before the transaction. Once parameters and body have been read, their faults are answered
   * together.
   */
  private compileBefore(endpoint: EndpointPlan, page: PagePlan | null): Before[] {
    const { plan, rates, errors } = this.parts;
    const last = endpoint.before.findLastIndex((step) => step.do === 'read parameters' || step.do === 'validate body');
    const limits = endpoint.before.flatMap((step) => (step.do === 'limit' ? [step.rate] : []));
    const nobody = limits.filter((rate) => plan.rates[rate]!.per === 'nobody');
    // The bytes of a field are received once the parameters are known to be allowed.
    const early = endpoint.before.some((step) => step.do === 'read body' && step.bytes) ? last - 1 : last;
    return endpoint.before.flatMap((step, i) => {
      const plain = this.compileOne(step, endpoint, page);
      const one = step.do === 'authenticate' && nobody.length ? rates.guard(plain, nobody) : plain;
      const isLast = i === last && step.do === 'validate body' && step.parts;
      return i === early || isLast ? [one, contentChecker(errors)] : [one];
    });
  }

  private compileOne(step: BeforeStep, endpoint: EndpointPlan, page: PagePlan | null): Before {
    const { errors, expressions, versions, rates, callers, keptAnswers, files } = this.parts;
    const { wire } = this.parts.plan;
    switch (step.do) {
      case 'limit':
        return (request) => rates.take(request, step.rate, step.callers);
      case 'authenticate':
        return callers!.authenticator(step);
      case 'require scope':
        return (request) => callers!.requireScope(request, step);
      case 'choose version':
        return (request) => versions.choose(request);
      case 'check sunset':
        return (request) => (request.frame.now < step.at ? null : errors.code(step.code));
      case 'negotiate':
        return (request) => {
          const accept = header(request.incoming.rawHeaders, 'accept');
          const isOffered =
            accepts(accept, offeredIn(step.offered, request)) || step.others?.some((other) => accepts(accept, other));
          return isOffered ? null : errors.condition('not acceptable');
        };
      case 'read body':
        return bodyReader(step, errors, versions);
      case 'refuse body':
        return bodyRefuser(step, errors);
      case 'read parameters':
        return parameterReader(step, page, { wire, expressions, errors });
      case 'validate body':
        if (step.payload?.bytes) {
          const { most } = endpoint.before.find((one) => one.do === 'read body')!;
          return bytesReader(step.payload, step.payload.bytes, most, { errors, files });
        }
        return this.bodyReader(step, endpoint);
      case 'read page':
        return pageReader(step.page, errors);
      case 'claim key':
        return keptAnswers.claimer(step, endpoint.name);
    }
  }

  /** Compiles the validation of a body; one of several parts is received before. */
  private bodyReader(step: Extract<BeforeStep, { do: 'validate body' }>, endpoint: EndpointPlan): Before {
    const { errors, expressions, files, resource } = this.parts;
    const { wire } = this.parts.plan;
    const context = { wire, expressions, errors, resource: (name: string) => resource(name).plan };
    const validates = bodyValidator(step, takesForm(endpoint), context);
    if (!step.parts) return validates;
    const names = valueNames(step, context);
    const { most } = endpoint.before.find((one) => one.do === 'read body')!;
    const receives = partsReader(step.parts, most, { errors, files, names: (x) => names(x.apiVersion) });
    return async (x) => (await receives(x)) ?? validates(x);
  }
}

/** Compiles the headers of a deprecated endpoint: in a deprecated version, the earlier date of each. */
function endingHeadersOf(deprecation: DeprecationPlan): NonNullable<Endpoint['ending']> {
  const own = endingOf(deprecation);
  return (version) => endingHeaders(version ? earliest(own, version.ending) : own).flat();
}

const takesForm = ({ before }: EndpointPlan): boolean =>
  before.some((step) => step.do === 'read body' && step.mediaTypes.includes(FORM_TYPE));

/** Returns the media type to offer: for JSON, that of the request's version. */
function offeredIn(offered: string, { apiVersion }: RequestContext): string {
  return offered === JSON_TYPE ? apiVersion.mediaType : offered;
}
