import type {
  Contract,
  FieldContract,
  ResourceContract,
  StatesContract,
  TransitionContract,
} from '../../contract/contract.ts';
import { machinesOf } from '../../contract/machines.ts';
import { showDelay } from '../../text/units.ts';
import type { Arrow, Drawing, DrawnNode } from './drawing.ts';

/** The key of the drawing of all resources. */
export const RESOURCES = 'resources';

/**
 * The state machines, and the diagram of resources with their references. The key of a machine is its resource, or its
 * field, such as `Order.payment`, where the resource has several.
 */
export function drawingsOf(contract: Contract): ReadonlyMap<string, Drawing> {
  const machines = contract.resources.flatMap((one) =>
    machinesOf(one).map((machine): [string, Drawing] => [drawingKey(one, machine), machineOf(one, machine)]),
  );
  const { resources } = contract;
  return new Map([...machines, ...(resources.length ? [[RESOURCES, resourcesOf(resources)] as const] : [])]);
}

export const drawingKey = (resource: ResourceContract, { field }: StatesContract): string =>
  machinesOf(resource).length === 1 ? resource.name : `${resource.name}.${field}`;

/** Whether a drawing is one of those with a name: the name of a resource is that of all its machines. */
export const isDrawingOf = (key: string, name: string | null): boolean =>
  name === null || key === name || key.startsWith(`${name}.`);

const START = 'start';

function machineOf({ name }: ResourceContract, states: StatesContract): Drawing {
  const ids = new Map(states.values.map((value, i) => [value, `s${i}`]));
  const id = (value: string): string => ids.get(value) ?? value;
  const nodes = states.values.map(
    (value): DrawnNode => ({
      id: id(value),
      kind: states.final.includes(value) ? 'final' : 'state',
      name: value,
      lines: [],
    }),
  );
  const arrows = states.transitions.flatMap((one) =>
    one.from.map((from): Arrow => {
      return { from: id(from), to: id(one.to), labels: [labelOf(one)], dashed: one.timed !== null };
    }),
  );
  return {
    heading: `${name}.${states.field}`,
    words: machineWords(name, states),
    nodes: [{ id: START, kind: 'start', name: '', lines: [] }, ...nodes],
    arrows: [{ from: START, to: id(states.initial), labels: [], dashed: false }, ...arrows],
  };
}

/** The label of a transition, with its guard and its time. */
function labelOf({ name, guard, timed }: TransitionContract): string {
  const after = timed?.instant?.text ?? timed?.transition ?? '';
  const when = timed ? `, ${showDelay(timed.afterMilliseconds, after.replaceAll('this.', ''))}` : '';
  return `${name}${when}${guard ? ` [${guard.text.replaceAll('this.', '')}]` : ''}`;
}

function machineWords(name: string, { field, initial, final, transitions }: StatesContract): string {
  const moves = transitions.map((one) => `${labelOf(one)} leads from ${one.from.join(' and ')} to ${one.to}.`);
  const ends = final.length ? `Final: ${final.join(', ')}.` : 'No state is final.';
  return [`${name}.${field} begins as ${initial}.`, ...moves, ends].join(' ');
}

const holdsMany = ({ type }: FieldContract): boolean => type.kind === 'list' || type.kind === 'set';

function typeWords(field: FieldContract): string {
  const { type, refersTo } = field;
  return refersTo !== null && holdsMany(field) ? `${type.kind} of ${refersTo}` : (refersTo ?? type.kind);
}

function resourcesOf(resources: readonly ResourceContract[]): Drawing {
  const ids = new Map(resources.map(({ name }, i) => [name, `r${i}`]));
  const references = resources.flatMap((resource) =>
    resource.fields.flatMap((field) =>
      field.refersTo !== null && ids.has(field.refersTo) ? [{ resource, field, to: field.refersTo }] : [],
    ),
  );
  const words = references.map(
    ({ resource, field, to }) =>
      `${resource.name}.${field.name} names ${holdsMany(field) ? 'rows' : 'a row'} of ${to}${field.optional ? ', if any' : ''}.`,
  );
  return {
    heading: 'Resources',
    words: [`The resources are ${resources.map((one) => one.name).join(', ')}.`, ...words].join(' '),
    nodes: resources.map((one) => ({
      id: ids.get(one.name) ?? one.name,
      kind: 'resource',
      name: one.name,
      lines: one.fields.map((field) => `${field.name}${field.optional ? '?' : ''}: ${typeWords(field)}`),
    })),
    arrows: references.map(({ resource, field, to }) => ({
      from: ids.get(resource.name) ?? '',
      to: ids.get(to) ?? '',
      labels: [field.name],
      dashed: field.optional,
    })),
  };
}
