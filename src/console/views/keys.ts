import { Operator } from '../../runtime/operator.ts';
import { OperatorError } from '../../runtime/operator-error.ts';
import { OperatorLists } from '../../runtime/operator-lists.ts';
import { type ConsoleService, engineOf, planOf } from '../console-service.ts';
import type { Done, KeyIssued, KeysAnswer } from '../protocol.ts';
import type { Route } from '../route.ts';
import { windowOf } from '../window.ts';

/** API keys: as `ninefold keys` issues, lists and revokes them. */
export function keyViews(served: ConsoleService): Route[] {
  return [
    {
      method: 'GET',
      path: '/keys',
      answer: async ({ query }): Promise<KeysAnswer> => {
        const part = windowOf(query);
        const { total, items } = await new OperatorLists(engineOf(served)).keys(query.get('valid') === '1', part);
        return { total, offset: part.offset, keys: items };
      },
    },
    {
      method: 'POST',
      path: '/keys',
      about: (body) => body.text('holder'),
      answer: ({ body }): Promise<KeyIssued> => {
        const name = body.text('scheme');
        const scheme = planOf(served).schemes.find((one) => one.name === name);
        if (!scheme) throw new OperatorError(`The document has no scheme “${name}”.`, true);
        const operator = new Operator(engineOf(served));
        return operator.issueKey(scheme.resource, body.text('holder'), body.texts('scopes'), name);
      },
    },
    {
      method: 'POST',
      path: '/keys/:id/revoke',
      answer: async ({ names: [id = ''] }): Promise<Done> => {
        await new Operator(engineOf(served)).revokeKey(id);
        return { done: true };
      },
    },
  ];
}
