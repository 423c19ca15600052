import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { exchangesOf } from '../../src/exchanges/record.ts';
import { documentText } from '../../src/export/json.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { yamlText } from '../../src/export/yaml.ts';
import { changed, documents, example } from '../fixtures.ts';
import { edited } from '../harness.ts';
import { IN_WHOLE, share, WHOLE } from '../share.ts';
import { planOf } from '../subject.ts';
import { fileName, openApiExports, unshared } from './exports.ts';

const FORMATS = ['3.1', '3.2'] as const;

const validator = new Validator();
/** Those that a run looks at. */
const DOCUMENTS = share(documents(), 2).cases;
const ALL = await openApiExports(DOCUMENTS);

for (const { name, text } of DOCUMENTS)
  test(`every version of ${name} is an OpenAPI document, in both formats, and says the same in YAML`, async () => {
    const { plan } = compile(name, text);
    assert.ok(plan);
    const contract = contractOf(plan);
    for (const version of contract.versions.filter((one) => one.status !== 'retired'))
      for (const format of FORMATS) {
        const made = openApiOf(contract, version, format);
        const written = JSON.stringify(made);
        assert.equal(JSON.stringify(openApiOf(contractOf(plan), version, format)), written, 'it is the same each time');
        const { valid, errors } = await validator.validate(JSON.parse(written));
        assert.ok(valid, JSON.stringify(errors));
        // YAML takes longer to read than all else here: versions differ little in it.
        if (!WHOLE && version !== contract.versions[0]) continue;
        // Each version of YAML reads one of them.
        const yaml = format === '3.1' ? '1.1' : '1.2';
        assert.deepEqual(parse(yamlText(made), { version: yaml }), JSON.parse(written));
      }
  });

test('whatever stands beside OpenAPI’s own words is told of in the list at the end', () => {
  for (const { name, text } of documents()) {
    const { plan } = compile(name, text);
    assert.ok(plan);
    const contract = contractOf(plan);
    for (const version of contract.versions.filter((one) => one.status !== 'retired')) {
      const made = openApiOf(contract, version, '3.1', [], true);
      const beside = new Set<string>();
      JSON.stringify(made, (key, value) => {
        if (key.startsWith('x-ninefold-')) beside.add(key);
        return value;
      });
      const told = JSON.stringify(made['x-ninefold-not-expressed']);
      const untold = [...beside].filter(
        (key) => key !== 'x-ninefold-not-expressed' && !new RegExp(`${key}\\b(?!-)`).test(told),
      );
      assert.deepEqual(untold, [], name);
    }
  }
});

test('a resource that is called as something of the export is gets a name of its own', () => {
  const { plan } = compile('todos.md', example('todos').replaceAll(/\bTodo\b/g, 'Error'));
  const contract = plan && contractOf(plan);
  const [version] = contract?.versions ?? [];
  assert.ok(contract && version);
  const { components } = JSON.parse(JSON.stringify(openApiOf(contract, version, '3.1')));
  assert.deepEqual(Object.keys(components.schemas), ['Error', 'ErrorWithFaults', 'Error2']);
  assert.deepEqual(Object.keys(components.schemas.Error.properties), ['title', 'status', 'code']);
});

test('every code that can be met has an example, and what was sent and answered is what the schemas allow', async (t) => {
  let examples = 0;
  const { cases, which } = share(
    ALL.filter(({ format }) => format === '3.1'),
    3,
  );
  for (const { name, document } of cases) {
    const made = JSON.parse(JSON.stringify(unshared(document)));
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'https://exported/document', ...made });
    const mustAllow = ({ schema, examples: of = {} }: MediaType, where: string): void => {
      // The bytes of files have no schema, and no example.
      if (!schema) {
        assert.deepEqual(of, {}, where);
        return;
      }
      const validate = ajv.compile(absolute(schema));
      for (const { value } of Object.values(of)) {
        examples++;
        assert.ok(validate(value), `${where}: ${ajv.errorsText(validate.errors)}`);
      }
    };
    for (const [path, item] of Object.entries<Operations>(made.paths))
      for (const [method, { requestBody, responses }] of Object.entries(item)) {
        const where = `${name} ${method} ${path}`;
        for (const sent of Object.values(requestBody?.content ?? {})) mustAllow(sent, where);
        for (const [status, response] of Object.entries(responses))
          for (const answer of Object.values(response.content ?? {})) {
            const { examples: of = {} } = answer;
            const codes = [...response.description.matchAll(/^(?:- )?`([^`]+)`: /gm)].map(([, code]) => code);
            const named = Object.keys(of).filter((one) => one !== 'answered');
            assert.deepEqual(named, codes, `${where} ${status}`);
            mustAllow(answer, `${where} ${status}`);
          }
      }
  }
  t.diagnostic(`${examples} examples of ${cases.length} exports (${which})`);
});

test('every endpoint of every example shows a request that it answered, but for one that needs a history', async (t) => {
  const without: string[] = [];
  let shown = 0;
  for (const { name, format, document, internals } of ALL) {
    if (format === '3.2') continue;
    const list: ReadonlyArray<{ what: string; at?: string[] }> = JSON.parse(
      JSON.stringify(internals['x-ninefold-not-expressed']),
    );
    without.push(...(list.find((one) => one.what === 'no example')?.at ?? []).map((at) => `${name}: ${at}`));
    shown += JSON.stringify(document).split('"answered":').length - 1;
  }
  t.diagnostic(`${shown} requests and answers`);
  assert.deepEqual(without, ['apiary-md-unversioned-3.1: POST /apiaries/{apiary}/hives/{hive}/{finding}']);
});

test('the same document is run the same way each time', IN_WHOLE, async () => {
  const { cases } = share(DOCUMENTS, 2);
  const before = ALL.filter(({ name }) => cases.some((one) => name.startsWith(fileName(one))));
  assert.equal(JSON.stringify(await openApiExports(cases)), JSON.stringify(before));
});

test('what an answer that nothing is new repeats stands in the export, as it was answered', async () => {
  const [from, to] = ['Answer 200 with `note`.', 'Answer 200 with `note` and header Cache-Control `"no-cache"`.'];
  const text = example('notes');
  assert.ok(text.includes(from));
  const { plan, findings } = compile(
    'notes.md',
    text.replace(from, () => to),
  );
  assert.ok(plan, JSON.stringify(findings));
  const contract = contractOf(plan);
  const [version] = contract.versions;
  assert.ok(version);
  const made = openApiOf(contract, version, '3.1', await exchangesOf(plan, contract, version));
  const { paths } = JSON.parse(JSON.stringify(unshared(made)));
  const { headers } = paths['/notes/{id}'].get.responses['304'];
  assert.deepEqual([headers['Cache-Control'].required, headers['Cache-Control'].example], [true, 'no-cache']);
});

test('what the document says to people describes what it is about, and HTML in it is none', () => {
  const text = example('orders').replace('Opens a draft.', 'Opens a **draft**, `a < b`, <script>alert(1)</script>.');
  const { plan } = compile('orders.md', text);
  const contract = plan && contractOf(plan);
  const [version] = contract?.versions ?? [];
  assert.ok(contract && version);
  const { info, tags, paths } = JSON.parse(JSON.stringify(openApiOf(contract, version, '3.1')));
  assert.equal(info.summary, 'take orders and follow each one to delivery');
  assert.match(info.description, /^Domain: retail order management\.\n\n/);
  assert.match(
    tags[0].description,
    /^One customer's order for one product\.\n\n`status` begins as `draft`, and changes:\n- place: /,
  );
  const { summary, description } = paths['/orders'].post;
  const told = 'Opens a **draft**, `a < b`, &lt;script>alert(1)&lt;/script>. Sending the same `Idempotency-Key` again';
  assert.equal(summary, 'Opens a draft, a < b, &lt;script>alert(1)&lt;/script>');
  assert.ok(description.startsWith(told), description);
  const stated = contract.prose.find((one) => one.name === 'POST /orders');
  assert.ok(stated && text.split('\n')[(stated.lines[0] ?? 0) - 1]?.startsWith('Opens a **draft**'));
});

test('a description goes on where the summary ends, and one sentence of prose is not said twice', () => {
  const shown = (prose: string): { readonly summary: string; readonly description: string } => {
    const sentence = 'Opens a draft. Sending the same `Idempotency-Key` again answers as the first time did.';
    assert.ok(example('orders').includes(sentence));
    const { plan } = compile(
      'orders.md',
      example('orders').replace(sentence, () => prose),
    );
    const contract = plan && contractOf(plan);
    const [version] = contract?.versions ?? [];
    assert.ok(contract && version);
    const { paths } = JSON.parse(JSON.stringify(openApiOf(contract, version, '3.1')));
    const { summary, description } = paths['/orders'].post;
    return { summary, description };
  };
  assert.deepEqual(shown('Opens a draft.'), { summary: 'Opens a draft', description: 'Answers 201 with Order.' });
  assert.deepEqual(shown('Opens a\ndraft! Once.\n\nFor the caller.'), {
    summary: 'Opens a draft!',
    description: 'Once.\n\nFor the caller.',
  });
  assert.deepEqual(shown('Opens a draft at St. Mary, e.g. On the day. Once.'), {
    summary: 'Opens a draft at St. Mary, e.g. On the day',
    description: 'Once.',
  });
  const bold = '**Opens** a draft. Once.';
  assert.deepEqual(shown(bold), { summary: 'Opens a draft', description: bold });
});

test('addresses that differ in the names of their parameters alone are one path', async () => {
  const find = (name: string): string =>
    `1. Find \`todo\`: Todo where \`number == path.${name}\`, else not_found.\n1. `;
  const own = (text: string, method: string, name: string): string => {
    const at = text.indexOf(`### \`${method} /{number}\``);
    assert.ok(at > 0);
    const below = text.slice(at).replace('/{number}', `/{${name}}`);
    return text.slice(0, at) + below.replace('\n1. ', `\n${find(name)}`);
  };
  const row = '| number    | path | Todo.number | any            | always   | not_found |';
  const apart = example('todos')
    .replace(/### Under `\/\{number\}`\n\n1\. .*\n\n/, '')
    .replace(row, () => `${row}\n${row.replace('number', 'digits')}`);
  const text = own(own(own(apart, 'GET', 'number'), 'PATCH', 'digits'), 'DELETE', 'number');
  const { plan, findings } = compile('todos.md', text);
  assert.ok(plan, JSON.stringify(findings));
  const contract = contractOf(plan);
  const [version] = contract.versions;
  assert.ok(version);
  const made = openApiOf(contract, version, '3.1', await exchangesOf(plan, contract, version), true);
  const { paths, 'x-ninefold-not-expressed': list } = JSON.parse(JSON.stringify(unshared(made)));
  assert.deepEqual(Object.keys(paths), ['/', '/{number}']);
  assert.deepEqual(Object.keys(paths['/{number}']), ['get', 'patch', 'delete']);
  const [parameter] = paths['/{number}'].patch.parameters;
  assert.deepEqual([parameter.name, typeof parameter.example], ['number', 'number']);
  assert.deepEqual(list.find((one: { what: string }) => one.what === 'one path').at, ['PATCH /{digits}']);
});

type Operations = Record<
  string,
  { readonly requestBody?: Pick<Response, 'content'>; readonly responses: Readonly<Record<string, Response>> }
>;

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface MediaType {
  readonly schema?: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** A schema with references to the document that it stands in. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"https://exported/document#/components'));

test('who has left in one exchange sends no other, though the steps issued them a token', IN_WHOLE, async () => {
  const leaving = [
    '### `DELETE /me`',
    '',
    '1. Find `me`: User where `this == caller`, else not_found.',
    '2. Remove `me`.',
    '3. Answer 204.',
    '',
    '### `GET /me`',
  ].join('\n');
  const { plan, findings } = compile('accounts.md', changed(example('accounts'), ['### `GET /me`', leaving]));
  assert.ok(plan, JSON.stringify(findings));
  const contract = contractOf(plan);
  const exchanges = await exchangesOf(plan, contract, contract.versions[0]!);
  const left = exchanges.filter((one) => one.endpoint === 'DELETE /me').map((one) => one.answer.status);
  assert.ok(left.includes(204) && left.some((status) => status >= 400), left.join());
});

test('a file in a form has its media types, and a form whose parts may be left out says what that means', () => {
  const contract = contractOf(planOf(example('pictures')));
  const [version] = contract.versions;
  assert.ok(version);
  const { paths } = openApiOf(contract, version, '3.1') as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody: FormBody }>>>>;
  };
  const { description, content } = paths['/pictures/{id}']?.patch?.requestBody ?? {};
  assert.equal(description, 'Parts that are left out keep their values.');
  const { image, thumbnail } = content?.['multipart/form-data']?.schema.properties ?? {};
  assert.deepEqual(image?.anyOf, [{ contentMediaType: 'image/png' }, { contentMediaType: 'image/jpeg' }]);
  assert.equal(thumbnail?.contentMediaType, 'image/png');
});

/** A form of several parts in an export. */
interface FormBody {
  readonly description?: string;
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema: { readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>> } }
    >
  >;
}

test('an object that has only an object is written on the lines of that object, and reads as the same data', () => {
  const data = {
    content: { 'application/json': { schema: { type: 'x'.repeat(80), title: 'y'.repeat(80) } } },
    none: {},
  };
  const text = documentText(data);
  assert.deepEqual(JSON.parse(text), data);
  assert.equal(text.split('\n').length, 7);
});

test('defaults are in the schema, or in a sentence with the value where a schema cannot state them', () => {
  const edits = [
    [
      '| price    | decimal         |        | 0.00 to 99999.99                          | request  ',
      '| price | decimal | | 0.00 to 99999.99 | request, else `9.50`',
    ],
    ['each 1 to 80 characters | request | optional | |', 'each 1 to 80 characters | request, else `{}` | | |'],
  ] as const;
  const plan = planOf(edited(example('catalogue'), ...edits));
  const contract = contractOf(plan);
  const [version] = contract.versions;
  assert.ok(version);
  const text = JSON.stringify(openApiOf(contract, version, '3.1'));
  assert.match(text, /"price":\{[^}]*If it is left out, the value is `9\.50`\./);
  assert.match(text, /"maxProperties":5,"default":\{\}/);
  assert.match(text, /"ordered":\{[^}]*If it is left out, the service computes the value\./);
});
