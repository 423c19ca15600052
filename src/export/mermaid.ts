import type { Contract, ResourceContract, StatesContract, TransitionContract } from '../contract/contract.ts';
import { machinesOf } from '../contract/machines.ts';
import { showDelay } from '../text/units.ts';
import { drawingKey, isDrawingOf, RESOURCES } from './diagram/drawings.ts';

/**
 * Each state machine, and the resources with what refers to what, as Mermaid’s diagrams in a page of Markdown; or only
 * that of one resource’s states, or of the resources.
 */
export function diagramsOf(contract: Contract, of: string | null = null): string {
  const machines = contract.resources.flatMap((one) =>
    machinesOf(one).flatMap((states) => (isDrawingOf(drawingKey(one, states), of) ? [machineOf(one, states)] : [])),
  );
  const resources = contract.resources.length && isDrawingOf(RESOURCES, of) ? [resourcesOf(contract.resources)] : [];
  return `# ${inHeading(contract.title)}\n\n${[...machines, ...resources].join('\n')}`;
}

const diagram = (heading: string, lines: readonly string[]): string =>
  `## ${heading}\n\n\`\`\`mermaid\n${lines.join('\n')}\n\`\`\`\n`;

function machineOf(resource: ResourceContract, states: StatesContract): string {
  const ids = new Map(states.values.map((value, i) => [value, `s${i + 1}`]));
  const id = (value: string): string => ids.get(value) ?? value;
  return diagram(inHeading(`${resource.name}.${states.field}`), [
    'stateDiagram-v2',
    ...states.values.map((value) => `  state "${plain(value)}" as ${id(value)}`),
    `  [*] --> ${id(states.initial)}`,
    ...states.transitions.flatMap((one) =>
      one.from.map((from) => `  ${id(from)} --> ${id(one.to)}: ${plain(labelOf(one))}`),
    ),
    ...states.final.map((value) => `  ${id(value)} --> [*]`),
  ]);
}

/** The label of a transition: its name, its guard, and the time of a timed transition. */
function labelOf({ name, guard, timed }: TransitionContract): string {
  const after = timed?.instant?.text ?? timed?.transition ?? '';
  const when = timed ? `, ${showDelay(timed.afterMilliseconds, after.replaceAll('this.', ''))}` : '';
  return `${name}${when}${guard ? ` [${guard.text.replaceAll('this.', '')}]` : ''}`;
}

function resourcesOf(resources: readonly ResourceContract[]): string {
  const ids = new Map(resources.map(({ name }, i) => [name, `r${i + 1}`]));
  const boxes = resources.flatMap((one) => [
    `  class ${ids.get(one.name)}["${plain(one.name)}"] {`,
    ...one.fields.map((field) => `    ${plain(field.name)}${field.optional ? '?' : ''} ${field.type.kind}`),
    '  }',
  ]);
  const arrows = resources.flatMap((one) =>
    one.fields.flatMap(({ name, refersTo }) =>
      refersTo !== null && ids.has(refersTo)
        ? [`  ${ids.get(one.name)} --> ${ids.get(refersTo)} : ${plain(name)}`]
        : [],
    ),
  );
  return diagram('Resources', ['classDiagram', ...boxes, ...arrows]);
}

/** Escapes text for a heading in Markdown (CommonMark, section 2.4). */
const inHeading = (text: string): string => text.replace(/[\\`*_[\]<>&#~|]/g, '\\$&').replace(/\s+/g, ' ');

/** Escapes text for Mermaid, with its numeric entities (`#35;`). */
const plain = (text: string): string =>
  text.replace(/[^\p{L}\p{N} .,_()=+!'*/?-]/gu, (one) => `#${one.codePointAt(0)};`).replace(/\s+/g, ' ');
