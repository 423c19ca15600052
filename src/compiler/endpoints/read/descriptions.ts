import { DESCRIPTION_FORMATS } from '../../../plan/step.ts';
import { located } from '../../../syntax/names.ts';
import type { Notes, Phrase } from '../../../syntax/phrase.ts';
import { type Endpoint, NO_SETTINGS, type Settings } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING } from '../verbs/verb.ts';
import { takeAccess } from './access.ts';
import { goodPath } from './headings.ts';

/**
 * ``OpenAPI 3.1 at `/openapi.json` for anyone, AsyncAPI 3.1 at `/asyncapi.json` ``: each is an endpoint, to which all
 * that the part says of endpoints applies. What it is for is said where that differs.
 */
export function readDescriptions(value: Phrase, notes: Notes): Endpoint[] {
  const out: Endpoint[] = [];
  do {
    const begun = value.peek();
    const format = value.choose(DESCRIPTION_FORMATS);
    const token = format && value.expect('at') ? value.code('value', 'a path in inline code') : null;
    if (!format || !token || !begun) return out;
    const access = value.take('for') ? takeAccess(value) : undefined;
    if (access === null) return out;
    const path = token.text;
    if (!goodPath(token, path, 0, 'value', notes)) continue;
    if (path.includes('{')) {
      notes.findings.push(d.report.descriptionPath(token.inner, { found: path }));
      continue;
    }
    const span = token.inner;
    out.push({
      name: `GET ${path}`,
      method: 'GET',
      path,
      settings: { ...NO_SETTINGS, access: access ? located(access.name, access) : null },
      parameters: [],
      steps: [
        {
          verb: 'Answer',
          span: { from: begun.from, to: token.to },
          does: { ...NOTHING, byRequest: true },
          status: { value: 200, ...span },
          body: null,
          stream: null,
          description: format,
          view: null,
          members: [],
          headers: [],
        },
      ],
      span,
    });
  } while (value.mark(','));
  return out;
}

/** A description takes no body and no key, whatever the part says of requests that change something. */
export function takingNothing(description: Endpoint, { request, idempotency }: Settings): Endpoint {
  const none = located(description.span, 'none' as const);
  const settings = {
    ...description.settings,
    request: request?.value === 'none' ? null : none,
    idempotency: idempotency?.value === 'none' ? null : none,
  };
  return { ...description, settings };
}
