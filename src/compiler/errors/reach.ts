import { CONDITIONS, type Condition } from '../../plan/conditions.ts';
import { checksOrigin, opensToNobody, schemesAt } from '../document/access.ts';
import { bodyMayBeMissing, bytesOf, type Effective, requestOf, takesBody } from '../document/effective.ts';
import { limitAt, ratesAt } from '../document/effective-limits.ts';
import { targetOf } from '../document/field-types.ts';
import { isPaged, listsAll } from '../document/pages.ts';
import { parameterType } from '../document/parameter-types.ts';
import type { Resolved } from '../document/resolve.ts';
import { stores } from '../document/writes.ts';
import { isConditional, preconditionsAt } from '../endpoints/check/preconditions.ts';
import { hasBody } from '../statements/endpoints.ts';

/** The conditions that can arise wherever a request is sent, even where no endpoint is. */
export const EVERYWHERE: readonly Condition[] = ['no such endpoint', 'method not allowed'];

/**
 * The conditions that can arise at an endpoint, in checking order. A statement that can raise a condition counts as
 * raising it, whatever its data. Each of these conditions needs an outcome.
 */
export function reachable(r: Resolved, one: Effective): readonly Condition[] {
  const known = r.once(reached);
  const conditions = known.get(one) ?? raisedAt(r, one);
  known.set(one, conditions);
  return conditions;
}

/** Cache of the conditions of each endpoint, which the check needs once and the plan twice. */
const reached = (): Map<Effective, readonly Condition[]> => new Map();

function raisedAt(r: Resolved, one: Effective): readonly Condition[] {
  const found = new Set<Condition>([...caller(r, one), ...form(one), ...content(r, one), ...steps(r, one)]);
  return CONDITIONS.filter((condition) => found.has(condition));
}

/** The kinds of credentials that have a time of their own. */
const EXPIRING: readonly string[] = ['JWT', 'OAuth 2 bearer'];

function* caller(r: Resolved, one: Effective): Generator<Condition> {
  const { authentication, versioning } = r.model;
  yield 'unavailable';
  if (ratesAt(r, one).size) yield 'rate exceeded';
  if (authentication.schemes.length) {
    if (checksOrigin(r, one)) yield 'origin not accepted';
    if (!opensToNobody(one)) yield 'credentials missing';
    yield 'credentials not accepted';
    if (schemesAt(authentication.schemes, one).some(({ kind }) => kind && EXPIRING.includes(kind.value)))
      yield 'credentials expired';
  }
  if (one.settings.access?.value.kind === 'scope') yield 'scope missing';
  if (!versioning.scheme) return;
  if (versioning.without?.value === 'refused') yield 'version missing';
  yield 'version unknown';
  if (versioning.versions.length) yield 'version retired';
}

function* form(one: Effective): Generator<Condition> {
  if (one.every.some((step) => step.verb === 'Answer' && hasBody(step))) yield 'not acceptable';
  yield 'malformed request';
  const refused = one.settings.unreadBodies?.value === 'refused';
  if (takesBody(one) || refused) yield 'request too large';
  if (!takesBody(one)) return;
  if (!bodyMayBeMissing(one)) yield 'length missing';
  yield 'unsupported media type';
  yield 'unsupported encoding';
}

function* content(r: Resolved, one: Effective): Generator<Condition> {
  const { settings } = one;
  const request = requestOf(one);
  if (bytesOf(one)) yield* [];
  else if (takesBody(one)) {
    yield 'invalid request';
    if (r.model.resources.rules.unknownFields?.value === 'refused') yield 'unknown field';
    const resource = request && r.resourceNamed(request.resource.text);
    const references = resource?.fields.filter((field) => targetOf(field.type?.value)) ?? [];
    if (references.some((field) => request?.fields.some((name) => name.text === field.name.text)))
      yield 'reference unknown';
  } else if (settings.unreadBodies?.value === 'refused') yield 'body not expected';
  if (one.parameters.some((parameter) => !parameter.otherwise && parameterType(r, parameter).kind === 'row'))
    yield 'reference unknown';
  if (one.parameters.some((parameter) => !parameter.otherwise || parameter.in?.value !== 'path'))
    yield 'invalid request';
  if (settings.unknownParameters?.value === 'refused') yield 'unknown parameter';
  if (isPaged(one) || (listsAll(one) && limitAt(r, one, 'Whole list')?.value.beyond === 'refused'))
    yield 'page refused';
}

function* steps(r: Resolved, one: Effective): Generator<Condition> {
  const idempotency = one.settings.idempotency?.value;
  if (idempotency && idempotency !== 'none') {
    if (idempotency.presence === 'required') yield 'idempotency key missing';
    yield 'idempotency key malformed';
    yield 'idempotency key reused';
    yield 'idempotency key in flight';
  }
  if (one.every.some((step) => step.verb === 'Match')) {
    yield 'precondition missing';
    yield 'precondition failed';
  }
  const judged = preconditionsAt(r, one)?.value ?? 'ignored';
  if (judged === 'required') yield 'precondition missing';
  if (isConditional(one) || judged !== 'ignored') yield 'precondition failed';
  if (one.every.some((step) => step.verb === 'Answer' && step.form?.kind === 'file' && step.form.ranges !== 'ignored'))
    yield 'range not satisfiable';
  const writes = one.every.some((step) => stores(step, r.model.authentication.schemes));
  if (writes) {
    yield 'conflict';
    yield 'storage full';
  }
  if (limitAt(r, one, 'Time-out')) yield 'time-out';
  yield 'failure';
}
