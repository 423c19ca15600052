import type { Contract, VersionContract } from '../../contract/contract.ts';
import { machinesOf } from '../../contract/machines.ts';
import { forCallers } from '../internals.ts';
import { type JsonObject, present } from '../json.ts';
import { componentName, Names } from '../json-schema.ts';
import { Exporting } from '../openapi/exporting.ts';
import { operationName } from '../openapi/operation-names.ts';
import { lifeCyclesOf } from './life-cycles.ts';
import { workflowOf } from './workflow.ts';

const ABOUT = 'The workflows of resources with states, over the operations of the OpenAPI document beside this file.';
const INTERNALS = ' The list `x-ninefold-not-expressed` at the end names the facts that workflows cannot express.';

/**
 * The life of each resource with states, in one version, as an Arazzo description: null where callers move no row, since
 * Arazzo needs a workflow. `internals`: also the list of facts that Arazzo cannot express.
 */
export function arazzoOf(contract: Contract, version: VersionContract, internals = false): JsonObject | null {
  const idOf = (name: string): string => operationName(name.split(' ')[0] ?? '', name.split(' ')[1] ?? '');
  const x = new Exporting(contract, version, '3.1', idOf);
  const names = new Names();
  const workflows = contract.resources.flatMap((resource) => {
    const { name } = resource;
    const machines = machinesOf(resource);
    if (machines.length === 0) x.notes.add('no states', name);
    return machines.flatMap((states) => {
      const { lives, unreachable: apart } = lifeCyclesOf(resource, states, version.endpoints);
      for (const transition of apart) x.notes.add('not called', `${name}.${transition}`);
      return lives.map((life) => {
        for (const move of life.moves) if (move.if.length) x.notes.add('guards', `${name}.${move.transition}`);
        const id = [name, ...life.moves.map((one) => one.transition ?? '')].map((one) =>
          one.replace(/[^A-Za-z0-9_-]+/g, '-'),
        );
        return workflowOf(x, names.once(id.join('-')), resource, states, life);
      });
    });
  });
  if (workflows.length === 0) return null;
  if (version.name === null) x.notes.add('unversioned');
  const all = {
    arazzo: '1.0.1',
    info: present({
      title: contract.title,
      summary: x.prose('purpose'),
      version: version.name ?? 'unversioned',
      description: internals ? ABOUT + INTERNALS : ABOUT,
    }),
    sourceDescriptions: [{ name: componentName('service'), url: './openapi.json', type: 'openapi' }],
    workflows,
    'x-ninefold-not-expressed': x.notes.list(),
  };
  return internals ? all : forCallers(all);
}
