import type { Node } from './node.ts';

/** The media type of forms of HTML (URL Standard). */
export const isForm = (media: string | null): boolean =>
  media !== null && /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(media);

/** The content of a body: its media type, null where the file states none, and the schema of the body. */
export interface Content {
  readonly media: string | null;
  readonly schema: Node | null;
  readonly node: Node;
}

/** The body of a request or an answer. */
export interface Body {
  readonly node: Node;
  readonly isRequired: boolean;
  readonly contents: readonly Content[];
  /** The members of a form of Swagger 2.0, which are parameters there. */
  readonly form: readonly Input[];
}

/** A parameter of a request, with its schema. */
export interface Input {
  readonly name: string;
  readonly place: string;
  readonly node: Node;
  readonly schema: Node | null;
  readonly isRequired: boolean;
  /** How a list is written: one text with commas, or otherwise. */
  readonly hasCommas: boolean;
}

export interface Answer {
  readonly status: string;
  readonly node: Node;
  readonly contents: readonly Content[];
}

/** An operation, in the same form from every version of OpenAPI. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly node: Node;
  readonly inputs: readonly Input[];
  readonly body: Body | null;
  readonly answers: readonly Answer[];
  /** The requirements of security, those of the whole file where the operation states none. */
  readonly security: Node | null;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;

/** Every operation of the file, in its order. */
export function operationsOf(root: Node): Operation[] {
  return (root.get('paths')?.members() ?? []).flatMap(([path, use]) => {
    const item = path.startsWith('/') ? use.resolved() : null;
    if (!item) return [];
    const methods = METHODS.filter((method) => method !== 'query' || root.file.version === '3.2');
    return methods.flatMap((method) => {
      const node = item.get(method);
      return node ? [operationOf(root, item, path, method, node)] : [];
    });
  });
}

function operationOf(root: Node, item: Node, path: string, method: string, node: Node): Operation {
  const parameters = parametersOf(item, node);
  const isOld = root.file.version === '2.0';
  const inBody = parameters.find((one) => one.text('in') === 'body');
  const request = isOld ? null : (node.get('requestBody')?.resolved() ?? null);
  const consumes = mediaOf(root, node, 'consumes');
  const answers = (node.get('responses')?.members() ?? []).flatMap(([status, use]): Answer[] => {
    const answer = status.startsWith('x-') ? null : use.resolved();
    if (!answer) return [];
    const schema = answer.get('schema');
    const old = schema ? oldContents(mediaOf(root, node, 'produces'), schema, answer) : [];
    return [{ status, node: use, contents: isOld ? old : contentsOf(answer) }];
  });
  const inputs = parameters.flatMap((one) => inputOf(one, isOld) ?? []);
  const form = consumes.length === 1 && consumes.every(isForm) ? inputs.filter(isOfForm) : [];
  return {
    method: method.toUpperCase(),
    path,
    node,
    inputs: inputs.filter((one) => !form.includes(one)),
    body: inBody ? oldBody(inBody, consumes) : form.length ? formBody(node, form) : request && bodyOf(request),
    answers,
    security: node.get('security') ?? root.get('security'),
  };
}

const bodyOf = (node: Node): Body => ({
  node,
  isRequired: node.flag('required'),
  contents: contentsOf(node),
  form: [],
});

const oldBody = (node: Node, consumes: readonly string[]): Body => ({
  node,
  isRequired: node.flag('required'),
  contents: oldContents(consumes, node.get('schema'), node),
  form: [],
});

const formBody = (node: Node, form: readonly Input[]): Body => ({
  node,
  isRequired: form.some(({ isRequired }) => isRequired),
  contents: [{ media: 'application/x-www-form-urlencoded', schema: null, node }],
  form,
});

const isOfForm = ({ place, node }: Input): boolean => place === 'formData' && node.text('type') !== 'file';

/** The parameters of an operation, and those of its path that it does not replace. */
function parametersOf(item: Node, operation: Node): Node[] {
  const resolved = (node: Node) =>
    (node.get('parameters')?.items() ?? []).flatMap((one) => {
      const target = one.resolved();
      return target && typeof target.value === 'object' ? [target] : [];
    });
  const key = (one: Node): string => `${one.text('in')} ${one.text('name')}`;
  const own = resolved(operation);
  const replaced = new Set(own.map(key));
  return [...resolved(item).filter((one) => !replaced.has(key(one))), ...own];
}

function inputOf(node: Node, isOld: boolean): Input | null {
  const [name, place] = [node.text('name'), node.text('in')];
  if (name === null || place === null || place === 'body') return null;
  const isList = (isOld ? node : node.get('schema')?.resolved())?.text('type') === 'array';
  const style = node.text('style') ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const explode = node.get('explode')?.value ?? style === 'form';
  const format = node.text('collectionFormat') ?? 'csv';
  // Only between commas do the two ways of writing a list not differ in `simple` (RFC 6570).
  const hasCommas = isOld ? format === 'csv' : style === 'simple' || (style === 'form' && explode === false);
  if (isList && hasCommas) node.stateMembers('style', 'explode', 'collectionFormat');
  return { name, place, node, schema: isOld ? node : node.get('schema'), isRequired: node.flag('required'), hasCommas };
}

function contentsOf(body: Node): Content[] {
  return (body.get('content')?.members() ?? []).flatMap(([media, use]) => {
    const node = use.resolved();
    return node ? [{ media, schema: node.get('schema'), node }] : [];
  });
}

/** The media types that an operation of Swagger 2.0 states, or the file for all. */
function mediaOf(root: Node, operation: Node, key: 'consumes' | 'produces'): string[] {
  const all = operation.get(key) ?? root.get(key);
  return all?.items().flatMap(({ value }) => (typeof value === 'string' ? [value] : [])) ?? [];
}

const oldContents = (media: readonly string[], schema: Node | null, node: Node): Content[] =>
  media.length ? media.map((one) => ({ media: one, schema, node })) : [{ media: null, schema, node }];

/** Whether a media type is JSON; a body without a stated type may be. */
export const isJson = (media: string | null): boolean =>
  media === null || /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i.test(media);

/** The schema of a body that is JSON. */
export const jsonSchemaOf = (contents: readonly Content[]): Node | null =>
  contents.find(({ media, schema }) => isJson(media) && schema)?.schema ?? null;
