import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PATIENT, type Service, until, Workspace } from '../harness.ts';
import { PostgresServer } from '../postgres.ts';
import { Receiver } from '../receiver.ts';
import { IN_WHOLE } from '../share.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly datasource: { readonly uid: string } }>;
}

const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy', 'grafana-dashboard.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: ReadonlyArray<{ readonly name: string; readonly query: string | { readonly query: string } }>;
  };
};
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** The labels of each name that samples have; of a histogram, those of its parts. */
async function exposedBy(service: Service): Promise<Map<string, Set<string>>> {
  const port = /operator’s port is (\d+)/.exec(service.out)![1];
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const exposed = new Map<string, Set<string>>();
  for (const line of (await response.text()).split('\n')) {
    if (line === '' || line.startsWith('# ')) continue;
    const sample = /^([a-z_0-9]+)(?:\{(.*)\})? (?:[-+\d.e]+|NaN|\+Inf)$/.exec(line);
    assert.ok(sample, line);
    const labels = exposed.get(sample[1]!) ?? new Set();
    for (const [, label] of (sample[2] ?? '').matchAll(/([a-z_0-9]+)="(?:[^"\\]|\\.)*"(?:,|$)/g)) labels.add(label!);
    exposed.set(sample[1]!, labels);
  }
  return exposed;
}

/** A service of which each kind of thing has happened once, so that every metric has a value. */
async function busy(space: Workspace, receiver: Receiver): Promise<Service> {
  const key = await space.key(await space.customer());
  await space.receiver(receiver.url);
  const service = await space.serve({ args: ['--admin', '127.0.0.1:0'] });
  await service.opened(key, 'DSH-0001');
  await until(() => receiver.accepted.length, 'a delivery');
  await until(() => service.err.includes('webhook.delivered'), 'what became of it');
  return service;
}

/** What queries ask for that nobody exposes: names, and labels that they choose or group by. */
function missingFrom(exposed: ReadonlyMap<string, ReadonlySet<string>>, asked: readonly string[]): string[] {
  return asked.flatMap((query) => {
    const names = [...query.matchAll(/([a-z_0-9]+)\{([^}]*)\}/g)];
    assert.ok(names.length > 0, query);
    const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(', '));
    return names.flatMap(([, name, selector]) => {
      const labels = exposed.get(name!);
      if (!labels) return [name!];
      const chosen = [...selector!.matchAll(/([a-z_0-9]+)=~?"/g)].map(([, label]) => label!);
      // These are given by whoever reads the metrics.
      return [...chosen, ...grouped].flatMap((label) =>
        labels.has(label) || ['job', 'instance'].includes(label) ? [] : [`${name} ${label}`],
      );
    });
  });
}

/** A service has these metrics where its document states a schedule: `test/schedules.test.ts` reads them. */
const ofSchedules = (query: string): boolean => query.includes('ninefold_schedule_');
const ofPostgres = (query: string): boolean => query.includes('ninefold_pool_');

test('what the dashboard asks for, a service on SQLite has', async () => {
  await using space = new Workspace(PATIENT);
  await using receiver = await new Receiver().up();
  const exposed = await exposedBy(await busy(space, receiver));
  assert.deepEqual(
    missingFrom(
      exposed,
      queries.filter((query) => !ofPostgres(query) && !ofSchedules(query)),
    ),
    [],
  );
  assert.equal(queries.filter(ofPostgres).length, 3);
  // And what a service has, the page for operators explains.
  const page = readFileSync(join(ROOT, 'docs', 'operating.md'), 'utf8');
  const explained = (name: string): boolean => page.includes(`\`${name.replace(/_(?:bucket|sum|count)$/, '')}\``);
  assert.deepEqual(
    [...exposed.keys()].filter((name) => !explained(name)),
    [],
  );
});

test('what the dashboard asks for, a service on PostgreSQL has', IN_WHOLE, async () => {
  await using server = await PostgresServer.shared();
  await using space = new Workspace(PATIENT);
  await using receiver = await new Receiver().up();
  space.place = ['--store', await server.database()];
  assert.deepEqual(
    missingFrom(
      await exposedBy(await busy(space, receiver)),
      queries.filter((query) => !ofSchedules(query)),
    ),
    [],
  );
});

test('the dashboard can be imported for any source of metrics, and its panels lie beside each other', () => {
  const { panels, templating } = dashboard;
  assert.deepEqual(
    templating.list.map(({ name }) => name),
    ['datasource', 'job', 'instance'],
  );
  for (const { type, title, datasource, targets = [] } of panels)
    if (type !== 'row')
      assert.deepEqual(
        [datasource, ...targets.map((one) => one.datasource)].filter(
          (one) => !/^\$\{datasource\}$/.test(one?.uid ?? ''),
        ),
        [],
        title,
      );
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  );
  assert.equal(new Set(taken).size, taken.length);
  assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24));
});
