import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { example } from '../fixtures.ts';
import { documentText, planOf } from '../subject.ts';
import { unshared } from './exports.ts';

/** An example of an error that lists faults. */
interface Faulty {
  readonly value: { readonly code: string; readonly errors?: ReadonlyArray<Readonly<Record<string, string>>> };
}

interface Operation {
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Faulty>> }>> }
    >
  >;
}

/** The faults in the examples of errors that no request caused, as `POST /tickets reference_unknown`. */
function faultsIn(text: string): Record<string, Readonly<Record<string, string>>> {
  const contract = contractOf(planOf(text));
  const [version] = contract.versions;
  assert.ok(version);
  const { paths } = unshared(openApiOf(contract, version, '3.1')) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const out: Record<string, Readonly<Record<string, string>>> = {};
  for (const [path, item] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(item))
      for (const { content = {} } of Object.values(responses))
        for (const { examples = {} } of Object.values(content))
          for (const { value } of Object.values(examples))
            for (const { detail: _, ...fault } of value.errors ?? [])
              out[`${method.toUpperCase()} ${path} ${value.code}`] = fault;
  return out;
}

test('the example of an error lists a fault that a request can have', () => {
  const helpdesk = faultsIn(example('helpdesk'));
  assert.deepEqual(helpdesk['POST /tickets invalid_request'], { pointer: '/subject', code: 'missing' });
  assert.deepEqual(helpdesk['POST /tickets reference_unknown'], { pointer: '/tags/0', code: 'reference_unknown' });
  assert.deepEqual(helpdesk['GET /tickets reference_unknown'], { parameter: 'assignee', code: 'reference_unknown' });
  // Both members of the merge patch may be left out, and neither is a null.
  assert.deepEqual(helpdesk['PATCH /tickets/{number} invalid_request'], { pointer: '/subject', code: 'not_text' });
  for (const [name, { code }] of Object.entries(helpdesk))
    if (name.endsWith('reference_unknown')) assert.equal(code, 'reference_unknown', name);
});

test('no value of a form is refused because it is no list', () => {
  const forms = faultsIn(documentText('src/compiler/endpoints/cases/documents/forms.md'));
  assert.deepEqual(forms['POST /token invalid_request'], { pointer: '/seconds', code: 'not_integer' });
});
