import type { Description } from '../../../language/endpoints.ts';
import { located } from '../../../syntax/names.ts';
import type { Notes } from '../../../syntax/phrase.ts';
import { type Endpoint, NO_SETTINGS, type Settings } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING } from '../verbs/verb.ts';
import { goodPath } from './headings.ts';

/**
 * Makes an endpoint of each description. The settings of the part apply to it as to other endpoints; the bullet of the
 * description may state its Access.
 */
export function readDescriptions(stated: readonly Description[], notes: Notes): Endpoint[] {
  return stated.flatMap(({ format, path: token, access }) => {
    const { text: path, inner: span } = token;
    if (!goodPath(token, path, 0, 'value', notes)) return [];
    if (path.includes('{')) {
      notes.findings.push(d.report.descriptionPath(span, { found: path }));
      return [];
    }
    return {
      name: `GET ${path}`,
      method: 'GET',
      path,
      settings: { ...NO_SETTINGS, access: access ? located(access.name, access) : null },
      parameters: [],
      steps: [
        {
          verb: 'Answer',
          span: { from: format.from, to: token.to },
          does: { ...NOTHING, byRequest: true },
          status: { value: 200, ...span },
          body: null,
          stream: null,
          description: format.value,
          view: null,
          members: [],
          headers: [],
        },
      ],
      span,
    };
  });
}

/** Sets Request and Idempotency of a description to none: the part's settings for writes don't apply to it. */
export function takingNothing(description: Endpoint, { request, idempotency }: Settings): Endpoint {
  const none = located(description.span, 'none' as const);
  const settings = {
    ...description.settings,
    request: request?.value === 'none' ? null : none,
    idempotency: idempotency?.value === 'none' ? null : none,
  };
  return { ...description, settings };
}
