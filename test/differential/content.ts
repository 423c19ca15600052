import type { Effective } from '../../src/compiler/document/effective.ts';
import type { Parameter } from '../../src/compiler/statements/endpoints.ts';
import { bodyParameters, readBody } from './body.ts';
import { evaluate, type Scope } from './evaluate.ts';
import { formOf } from './pages.ts';
import { condition, type FaultAt, type Refusal, refusal } from './refusal.ts';
import { type Checked, checkWritten, kindOfParameter } from './validate.ts';
import type { Val } from './value.ts';
import type { Speech } from './versions.ts';

/** What parameters and body turned out to hold. */
export interface Content {
  readonly path: Map<string, Val>;
  readonly query: Map<string, Val>;
  readonly request: Map<string, Val>;
  /** The values of the body that were sent, in one form: what makes two requests the same. */
  readonly canonical: string;
  readonly faults: FaultAt[];
  /** The code of a parameter that states one for what isn’t allowed: it answers as the first step. */
  refusal: Refusal | null;
}

/** What of a request its content is. */
export interface Sent {
  readonly segments: ReadonlyMap<string, string>;
  readonly query: ReadonlyArray<readonly [string, string]>;
  readonly body: unknown;
}

/** Checks parameters, then the body; all faults are gathered. */
export function readContent(scope: Scope, one: Effective, apiVersion: Speech, sent: Sent): Content {
  const content: Content = {
    path: new Map(),
    query: new Map(),
    request: new Map(),
    canonical: '',
    faults: [],
    refusal: null,
  };
  for (const parameter of one.parameters.filter((each) => each.in!.value === 'path')) {
    const name = parameter.name.text;
    const checked = checkWritten(scope.model, kindOfParameter(scope.model, parameter), sent.segments.get(name)!);
    keep(content, content.path, parameter, name, checked);
  }
  const pages = formOf(scope.model, one);
  const paged = one.steps.some((step) => step.verb === 'List' && step.bound === 'pages') && pages;
  const known: string[] = paged ? [pages.limit, pages.place] : [];
  for (const parameter of one.parameters.filter((each) => each.in!.value === 'query'))
    known.push(readQueryParameter(scope, content, parameter, apiVersion, sent.query));
  if (one.settings.unknownParameters!.value === 'refused')
    for (const [name] of sent.query)
      if (!known.includes(name)) content.faults.push({ place: 'parameter', name, code: 'unknown_parameter' });
  if (one.settings.request!.value === 'none' && bodyParameters(one).length === 0) return content;
  const canonical = readBody({ scope, content, apiVersion }, one, sent.body);
  return { ...content, canonical };
}

function keep(content: Content, into: Map<string, Val>, parameter: Parameter, name: string, checked: Checked): void {
  if ('value' in checked) into.set(parameter.name.text, checked.value);
  else if (parameter.otherwise) content.refusal ??= refusal(parameter.otherwise.text);
  else for (const { code } of checked.faults) content.faults.push({ place: 'parameter', name, code });
}

/** Reads one parameter of the query and gives what it is called: as its field is, where it bears its field’s name. */
function readQueryParameter(
  scope: Scope,
  content: Content,
  parameter: Parameter,
  apiVersion: Speech,
  query: Sent['query'],
): string {
  const type = parameter.type!.value;
  const declared = parameter.name.text;
  const bears = type.kind === 'field' && type.field.text === declared;
  const name = bears ? apiVersion.name(type.resource.text, type.field.text) : declared;
  const given = query.filter(([each]) => each === name);
  const fault = (code: FaultAt['code']) => content.faults.push({ place: 'parameter', name: name ?? declared, code });
  if (given.length > 1) fault('repeated');
  else if (given[0])
    keep(
      content,
      content.query,
      parameter,
      name!,
      checkWritten(scope.model, kindOfParameter(scope.model, parameter), given[0][1]),
    );
  else if (parameter.fallback) content.query.set(declared, evaluate(parameter.fallback.text, { ...scope, row: null }));
  else if (parameter.presence!.value === 'always') fault('missing');
  return name ?? '\0';
}

/** The refusal that faults come to: what is wrong before what is unknown, the body before parameters. */
export function faultsRefused({ faults }: Content): Refusal | null {
  if (faults.length === 0) return null;
  const known = faults.filter((one) => one.code !== 'unknown_field' && one.code !== 'unknown_parameter');
  if (known.length) return condition('invalid request', faults);
  const field = faults.some((one) => one.code === 'unknown_field');
  return condition(field ? 'unknown field' : 'unknown parameter', faults);
}
