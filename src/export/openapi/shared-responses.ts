import { isObject } from '../../text/own-member.ts';
import type { Json, JsonObject } from '../json.ts';
import { Names } from '../names.ts';

type Operations = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** Answers that several operations have, each once among the components, and the paths that refer to them. */
export function shareResponses(paths: Operations): { readonly paths: JsonObject; readonly responses: JsonObject } {
  const counts = new Map<string, number>();
  for (const [, response] of everyResponse(paths)) {
    const text = JSON.stringify(response);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const names = new Names();
  const known = new Map<string, string>();
  const responses: Record<string, Json> = {};
  for (const [status, response] of everyResponse(paths)) {
    const text = JSON.stringify(response);
    if (known.has(text) || (counts.get(text) ?? 0) < 2) continue;
    const name = names.once(`Status${status}-`).replace(/-$/, '');
    known.set(text, name);
    responses[name] = response;
  }
  const referring = (response: Json): Json => {
    const name = known.get(JSON.stringify(response));
    return name === undefined ? response : { $ref: `#/components/responses/${name}` };
  };
  const shared = mapped(paths, (item) =>
    mapped(item, (operation) => ({ ...operation, responses: mapped(responsesIn(operation), referring) })),
  );
  return { paths: shared, responses };
}

const everyResponse = (paths: Operations): Array<[string, Json]> =>
  Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap((operation) => Object.entries(responsesIn(operation))),
  );

function responsesIn({ responses }: JsonObject): JsonObject {
  return isObject(responses) ? responses : {};
}

const mapped = <T>(of: Readonly<Record<string, T>>, to: (one: T) => Json): JsonObject =>
  Object.fromEntries(Object.entries(of).map(([name, one]) => [name, to(one)]));
