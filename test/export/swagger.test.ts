import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IN_WHOLE } from '../share.ts';
import { exportsForTools } from './exports.ts';
import { toolModule } from './tools/tool.ts';

/** What Swagger UI reads documents and makes requests with, as far as it is used here. */
interface SwaggerClient {
  resolve(of: { readonly spec: unknown }): Promise<{ readonly spec: Resolved; readonly errors: readonly unknown[] }>;
  buildRequest(of: {
    readonly spec: Resolved;
    readonly operationId: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  }): { readonly url: string; readonly method: string };
}

interface Resolved {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: ReadonlyArray<{
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly example?: unknown;
  }>;
}

test(
  'what Swagger UI reads documents with resolves every export, and makes requests of its examples',
  IN_WHOLE,
  async (t) => {
    const swagger = toolModule('swagger-client') as SwaggerClient;
    let requests = 0;
    for (const { name, format, document } of await exportsForTools()) {
      // It knows OpenAPI up to 3.1.
      if (format === '3.2') continue;
      const { spec, errors } = await swagger.resolve({ spec: JSON.parse(JSON.stringify(document)) });
      assert.deepEqual(errors, [], name);
      assert.doesNotMatch(JSON.stringify(spec.paths), /"\$ref"/, name);
      for (const [path, item] of Object.entries(spec.paths))
        for (const [method, { operationId, parameters = [] }] of Object.entries(item)) {
          if (!operationId) continue;
          const sent = parameters.flatMap((one) =>
            one.example === undefined ? [] : [[`${one.in}.${one.name}`, one.example]],
          );
          if (parameters.some((one) => one.required && one.example === undefined)) continue;
          const request = swagger.buildRequest({ spec, operationId, parameters: Object.fromEntries(sent) });
          requests++;
          assert.equal(request.method, method.toUpperCase(), `${name} ${operationId}`);
          assert.doesNotMatch(request.url, /[{}]/, `${name} ${path}`);
        }
    }
    t.diagnostic(`${requests} requests`);
  },
);
