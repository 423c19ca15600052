import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../../src/compiler/compile.ts';
import type { Contract, VersionContract } from '../../../src/contract/contract.ts';
import { contractOf } from '../../../src/contract/contract-of.ts';
import type { AnswerContract, EndpointContract } from '../../../src/contract/endpoint.ts';
import { clientOf } from '../../../src/export/client/client.ts';
import { deletions, documents, fileOf, shortened, variations, type Whole } from '../../fixtures.ts';
import { share } from '../../share.ts';
import { callersText } from '../callers.ts';

/** How many things a run changes in a document. */
const MOST = 20;

for (const document of share(documents(), 3).cases)
  test(`what callers of ${document.name} can meet changes the client when it is removed or another, or is in its list`, () => {
    judge(document);
  });

function judge({ name, text }: Whole): void {
  const whole = contractIn(name, text);
  assert.ok(whole);
  const before = { callers: callersText(whole), client: clientsText(whole) };
  const left = callersText(expressed(whole, before.client));
  const { cases, which } = share(changes({ name, text }), MOST, 16);
  const silent: string[] = [];
  const counted = { same: 0, changed: 0, listed: 0 };
  for (const { what, text: other } of cases) {
    const contract = contractIn(name, other);
    if (!contract || callersText(contract) === before.callers) counted.same++;
    else if (clientsText(contract) !== before.client) counted.changed++;
    else if (callersText(expressed(contract, before.client)) === left) counted.listed++;
    else silent.push(what);
  }
  console.log(
    `${name}: ${cases.length} statements, items, numbers and words (${which}): ${counted.same} leave nothing to callers or the same, ${counted.changed} change the client, ${counted.listed} are in its list, silent ${silent.length}`,
  );
  assert.deepEqual(silent, []);
}

/** Each statement and each item of a list removed, and each number and word replaced. */
function changes(document: Whole): ReadonlyArray<{ readonly what: string; readonly text: string }> {
  const { text } = document;
  const lines = text.split('\n');
  return [
    ...[...deletions(text), ...shortened(text)].map((one) => ({ what: `${one.line}: ${one.what}`, text: one.text })),
    ...variations(document).map((one) => ({
      what: one.text.split('\n').find((line, i) => line !== lines[i]) ?? 'a line less',
      text: one.text,
    })),
  ];
}

function contractIn(name: string, text: string): Contract | null {
  const { findings, plan } = compile(fileOf(name), text);
  return plan && findings.length === 0 ? contractOf(plan) : null;
}

const clientsText = (contract: Contract): string =>
  contract.versions
    .filter(({ status }) => status !== 'retired')
    .map((version) => clientOf(contract, version))
    .join('\n');

/** The facts that a sentence at the head of a client says are not in it, removed from a contract. */
const LISTED: ReadonlyArray<readonly [sentence: string, reduced: (contract: Contract) => object]> = [
  [
    'The order of the checks of a request',
    (all) => inEndpoints(all, (one) => without('refused', { ...one, answers: once(one.answers) })),
  ],
  [
    'The codes of refusals',
    // Every call may be refused with the statuses of addresses that no endpoint has.
    (all) => ({
      ...inVersions(all, ({ endpoints, elsewhere, ...rest }) => ({
        ...rest,
        elsewhere: once(elsewhere.map(withoutCode)),
        endpoints: endpoints.map(({ answers, ...one }) => ({
          ...one,
          answers: once(
            answers
              .filter(({ status }) => status < 400 || elsewhere.every((other) => other.status !== status))
              .map(withoutCode),
          ),
        })),
      })),
      errors: { ...all.errors, payload: without('oneOf', all.errors.payload) },
    }),
  ],
  [
    'Which rows a caller may see',
    (all) =>
      inEndpoints(all, ({ parameters, ...rest }) => ({
        ...rest,
        parameters: parameters.map(({ keeps: _, ...one }) => one),
      })),
  ],
  ['Whether the service trims texts', (all) => ({ ...all, wire: { missing: all.wire.missing } })],
  [
    'Whether the service refuses or ignores parameters and bodies',
    (all) => inEndpoints(all, ({ unknownParameters: _, unreadBody: __, ...rest }) => rest),
  ],
  [
    'Headers of answers, except those that comments of methods name.',
    (all) =>
      inVersions(
        inEndpoints(all, ({ answers, page, deprecation, ...rest }) => ({
          ...rest,
          deprecation: deprecation && { ...deprecation, headers: null },
          page: page && { ...page, links: page.links.includes('next') },
          answers: answers.map(withoutHeaders),
        })),
        ({ elsewhere, ...rest }) => ({ ...rest, elsewhere: elsewhere.map(withoutHeaders) }),
      ),
  ],
  [
    'The attributes of cookies',
    (all) => ({
      ...all,
      schemes: all.schemes.map(({ cookie, basic, ...rest }) => ({
        ...rest,
        cookie: cookie && { name: cookie.name },
        basic: basic && { userName: basic.userName },
      })),
    }),
  ],
  ['The order of lists by values', (all) => inEndpoints(all, ({ lists: _, ...rest }) => rest)],
  [
    'Tags, and their prose.',
    (all) => ({
      ...inEndpoints(all, ({ tag: _, ...rest }) => rest),
      prose: all.prose.filter(({ about }) => about !== 'tag'),
    }),
  ],
  [
    'Conditional requests with dates.',
    (all) =>
      inEndpoints(all, ({ preconditions, ...rest }) => ({
        ...rest,
        preconditions: preconditions && { ifMatch: preconditions.ifMatch, ifNoneMatch: preconditions.ifNoneMatch },
      })),
  ],
  [
    'Rates, size limits and time-outs.',
    (all) => ({ ...inEndpoints(all, ({ limits: _, ...rest }) => rest), rates: [] }),
  ],
  [
    'When each event happens.',
    (all) =>
      inVersions(all, ({ events, ...rest }) => ({
        ...rest,
        events: events.map(({ name, notifiedBy, payload }) => ({ name, notifiedBy, payload })),
      })),
  ],
  [
    'The other versions of the service.',
    (all) => ({
      ...all,
      versioning: all.versioning && { by: all.versioning.by },
      versions: all.versions.filter(({ status }) => status !== 'retired'),
    }),
  ],
  ['The date from which this version is deprecated.', (all) => inVersions(all, ({ deprecated: _, ...rest }) => rest)],
  [
    'Attempts, pauses and order of webhooks, and their receivers.',
    (all) => ({ ...all, webhook: all.webhook && { signature: all.webhook.signature, envelope: all.webhook.envelope } }),
  ],
  ['How many streams may be open at once', (all) => ({ ...all, stream: all.stream && { data: all.stream.data } })],
  ['The origins from which browsers may call', (all) => ({ ...all, browsers: null })],
  [
    'The claims that a token must have',
    (all) => ({ ...all, schemes: all.schemes.map(({ token: _, ...rest }) => rest) }),
  ],
  ['Answers to data that is not an HTTP request.', (all) => ({ ...all, errors: { ...all.errors, wire: [] } })],
  ['HEAD requests, which the service answers', (all) => inEndpoints(all, ({ head: _, ...rest }) => rest)],
];

/** Answers with the same status and code, and refusals that only their statuses tell apart, are one. */
function once(answers: readonly AnswerContract[]): readonly AnswerContract[] {
  const known = new Map(answers.map((one) => [`${one.status} ${one.code} ${one.body ? '' : 'no body'}`, one]));
  return [...known.values()].toSorted((a, b) => a.status - b.status || (a.code ?? '').localeCompare(b.code ?? ''));
}

/** A refusal that only its status tells from others. */
const withoutCode = (one: AnswerContract): AnswerContract =>
  one.status < 400 ? one : { ...one, code: null, title: null };

/** Data without the members of a name. */
const without = (name: string, data: unknown): object =>
  JSON.parse(JSON.stringify(data, (key, value) => (key === name ? undefined : value)));

const inVersions = (all: Contract, without: (version: VersionContract) => object): Contract =>
  ({ ...all, versions: all.versions.map(without) }) as Contract;

const inEndpoints = (all: Contract, without: (endpoint: EndpointContract) => object): Contract =>
  inVersions(all, (version) => ({ ...version, endpoints: version.endpoints.map(without) }));

const withoutHeaders = ({ headers, ...rest }: AnswerContract): object => ({
  ...rest,
  headers: headers.filter(({ expression }) => expression !== null).map(({ name }) => name),
});

function expressed(contract: Contract, client: string): Contract {
  const text = client.replaceAll('\n *   ', ' ');
  return LISTED.filter(([sentence]) => text.includes(`- ${sentence}`)).reduce<Contract>(
    (all, [, reduced]) => reduced(all) as Contract,
    contract,
  );
}
