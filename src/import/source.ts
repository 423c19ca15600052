import { LineCounter, parseDocument } from 'yaml';
import { isObject } from '../text/own-members.ts';

/** The reason why a text is no OpenAPI description, with its place as far as the reason has one. */
export interface Broken {
  readonly reason: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly pointer: string | null;
}

/** The versions of OpenAPI that are read; `2.0` is Swagger. */
export type OpenApiVersion = '2.0' | '3.0' | '3.1' | '3.2';

/** A description of an API as data. */
export interface Source {
  readonly root: Readonly<Record<string, unknown>>;
  readonly version: OpenApiVersion;
}

/** Deeper data is refused, because schemas are read by functions that call themselves. */
const DEEPEST = 200;
const TOO_MANY_ALIASES = 'Aliases of YAML repeat more values than any description has.';
/** Aliases of YAML can make a small file large: data with more values than that is refused. */
const MOST_VALUES = 20_000_000;

const broken = (reason: string, line: number | null = null, column: number | null = null): Broken => ({
  reason,
  line,
  column,
  pointer: null,
});

/** Reads a description of an API from JSON or YAML. Never throws. */
export function readSource(text: string): Source | Broken {
  const data = /^\s*[{[]/.test(text) ? fromJson(text) : fromYaml(text);
  if ('reason' in data) return data;
  const { value } = data;
  if (!isObject(value)) return broken('The file is not an object with the member `openapi` or `swagger`.', 1, 1);
  const excess = excessOf(value);
  if (excess !== null) return broken(excess);
  const version = versionOf(value);
  return typeof version === 'string' ? { root: value, version } : version;
}

function versionOf(root: Readonly<Record<string, unknown>>): OpenApiVersion | Broken {
  const { openapi, swagger } = root;
  const number = `${openapi ?? swagger ?? ''}`;
  // YAML reads `swagger: 2.0` as the number 2.
  if (openapi === undefined && /^2(?:\.0)?$/.test(number)) return '2.0';
  const found = (['3.0', '3.1', '3.2'] as const).find((one) => number === one || number.startsWith(`${one}.`));
  if (found && openapi !== undefined) return found;
  if (number === '')
    return {
      ...broken('The file has neither a member `openapi` nor a member `swagger`: it is no description by OpenAPI.'),
      pointer: '#',
    };
  return {
    ...broken(`The version ${JSON.stringify(number)} is not read. Read are Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2.`),
    pointer: openapi === undefined ? '#/swagger' : '#/openapi',
  };
}

type Data = { readonly value: unknown } | Broken;

function fromJson(text: string): Data {
  try {
    const value: unknown = JSON.parse(text);
    return repeatedIn(text) ?? { value };
  } catch (error) {
    const { message } = error as Error;
    // YAML has more forms in braces than JSON; and its parser names the place of every mistake.
    const yaml = fromYaml(text);
    if (!('reason' in yaml)) return yaml;
    const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
    if (line === undefined) return yaml;
    return broken(
      `This is no JSON: ${message.replace(/ (?:in|is not valid) JSON.*$/s, '')}.`,
      Number(line),
      Number(column),
    );
  }
}

/** The strings of JSON, with the colon behind the name of a member, and the signs that begin and end objects and lists. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g;

/** A member that an object of JSON has twice, of which the parser keeps the last; null where there is none. */
function repeatedIn(text: string): Broken | null {
  const open: Set<string>[] = [];
  for (const { 0: token, 1: colon, index } of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      if (open.at(-1)?.has(name)) {
        const before = text.slice(0, index).split('\n');
        return broken(
          `An object has the member ${JSON.stringify(name)} twice. Remove one of the two.`,
          before.length,
          before.at(-1)!.length + 1,
        );
      }
      open.at(-1)?.add(name);
    }
  }
  return null;
}

function fromYaml(text: string): Data {
  const lineCounter = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false, merge: true, stringKeys: false });
    const [first] = document.errors;
    if (first) {
      const { line, col } = lineCounter.linePos(first.pos[0]);
      return broken(`This is no YAML: ${first.message}.`.replace('..', '.'), line, col);
    }
    return { value: document.toJS({ maxAliasCount: 10_000 }) };
  } catch (error) {
    const { message } = error as Error;
    return broken(/alias/i.test(message) ? TOO_MANY_ALIASES : `This is no YAML: ${message}.`);
  }
}

/** The reason why data is refused: its depth, or the number of its values. Null where both are fine. */
function excessOf(value: unknown): string | null {
  let count = 0;
  const tooDeep = (one: unknown, depth: number): boolean => {
    if (typeof one !== 'object' || one === null) return false;
    if (depth > DEEPEST) return true;
    for (const member of Object.values(one)) {
      if (++count > MOST_VALUES) return false;
      if (tooDeep(member, depth + 1)) return true;
    }
    return false;
  };
  if (tooDeep(value, 0)) return `The data is nested in more than ${DEEPEST} levels.`;
  return count > MOST_VALUES ? `The data has more than ${MOST_VALUES.toLocaleString('en')} values.` : null;
}
