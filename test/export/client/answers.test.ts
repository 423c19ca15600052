import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../../../src/compiler/compile.ts';
import type { Contract, VersionContract } from '../../../src/contract/contract.ts';
import { contractOf } from '../../../src/contract/contract-of.ts';
import { successesOf } from '../../../src/contract/successes.ts';
import { exchangesOf } from '../../../src/exchanges/record.ts';
import { clientOf } from '../../../src/export/client/client.ts';
import { type Group, type Method, treeOf } from '../../../src/export/client/tree.ts';
import type { Exchange } from '../../../src/export/exchange.ts';
import { documents, fileOf } from '../../fixtures.ts';
import { share } from '../../share.ts';
import { typeErrors } from './made.ts';

// The types of a client against real answers: the compiler reads each answer as a value of the type of its call. A
// literal with a member that the type does not have is an error, too.

const methodsIn = ({ methods, groups }: Group): Method[] => [
  ...methods,
  ...groups.flatMap(([, group]) => methodsIn(group)),
];

/** The declaration of an answer as a value of the type of its call; none for bodies that are read as streams. */
function declarationOf({ endpoint, chain }: Method, { answer }: Exchange, coded: boolean, name: string): string[] {
  const result = `Awaited<ReturnType<Client${chain.map((one) => `[${JSON.stringify(one)}]`).join('')}>>`;
  const body = answer.body === undefined ? 'undefined' : JSON.stringify(answer.body);
  if (answer.status >= 400) {
    const [member, value] = coded ? ['code', JSON.stringify(answer.code)] : ['status', answer.status];
    return [
      `export const ${name}: Extract<${result}, { ok: false }>['error']['${member}'] = ${value};`,
      `export const ${name}_problem: Extract<${result}, { ok: false }>['error']['problem'] = ${body};`,
    ];
  }
  const successes = successesOf(endpoint);
  const kind = successes.find(({ status }) => status === answer.status)?.body?.type.kind ?? 'null';
  if (answer.status === 304 || ['bytes', 'csv', 'rows', 'stream', 'description'].includes(kind)) return [];
  const several = new Set(successes.map(({ status }) => status)).size > 1;
  const which = several ? `{ ok: true; status: ${answer.status} }` : '{ ok: true }';
  return [`export const ${name}: Extract<${result}, ${which}>['data'] = ${body};`];
}

test('each recorded answer of a service has the type that its client states', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-answers-'));
  t.after(() => rmSync(folder, { recursive: true }));
  let count = 0;
  const write = async (contract: Contract, version: VersionContract, exchanges: readonly Exchange[], file: string) => {
    const client = clientOf(contract, version);
    const methods = methodsIn(treeOf(contract, version));
    const lines = exchanges.flatMap((one, i) => {
      const method = methods.find(({ endpoint }) => endpoint.name === one.endpoint);
      return method ? declarationOf(method, one, client.includes('const codeIn'), `answer${i}`) : [];
    });
    count += lines.length;
    writeFileSync(join(folder, `${file}.ts`), client);
    const head = `import type { Client } from './${file}.ts';`;
    writeFileSync(join(folder, `${file}_answers.ts`), `${[head, ...lines].join('\n')}\n`);
  };
  for (const [i, { name, text }] of share(documents(), 4).cases.entries()) {
    const { plan } = compile(fileOf(name), text);
    assert.ok(plan);
    const contract = contractOf(plan);
    for (const [j, version] of contract.versions.entries())
      if (version.status !== 'retired')
        await write(contract, version, await exchangesOf(plan, contract, version), `client${i}_${j}`);
  }
  assert.equal(typeErrors(folder), '');
  assert.ok(count > 100);
  t.diagnostic(`${count} answers`);
});
