import { randomUUID } from 'node:crypto';
import type { Contract, ShapeContract } from '../contract/contract.ts';
import type { ContractType } from '../contract/types.ts';
import { Values } from '../exchanges/values.ts';
import { ConsoleError } from './problem.ts';

/** The beginning of the id of every test event, by which receivers know it: ids of events begin in another way. */
const TEST_ID = 'test_';

/** Objects in objects are filled so deep: a shape may hold itself. */
const DEEPEST = 4;

/** A test event: its payload has made-up values of the types that the contract states, and nothing of any row. */
interface MadeUpEvent {
  readonly webhookId: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: string;
}

/** Makes a test event of a name, with the names of a version. Throws ConsoleError where the version has no such event. */
export function testEvent({ versions }: Contract, version: string, name: string, now: number): MadeUpEvent {
  const described = versions.find((one) => (one.name ?? '') === version);
  if (!described) throw new ConsoleError('refused', 'The document no longer describes the version of this receiver.');
  const event = described.events.find((one) => one.name === name && one.notifiedBy.includes('webhook'));
  if (!event) throw new ConsoleError('refused', `No receiver of this version is sent “${name}”.`);
  const shapes = new Map(described.shapes.map((shape) => [shape.name, shape]));
  const values = new Values(now, () => undefined);
  return {
    webhookId: TEST_ID + randomUUID(),
    type: name,
    timestamp: new Date(now).toISOString(),
    data: JSON.stringify(values.of(withShapes(event.payload, shapes, 0), name, 0)),
  };
}

/** A type with the members of shapes in place of their names. */
function withShapes(type: ContractType, shapes: ReadonlyMap<string, ShapeContract>, deep: number): ContractType {
  const inner = (of: ContractType): ContractType => withShapes(of, shapes, deep + 1);
  if (deep > DEEPEST) return { kind: 'null' };
  switch (type.kind) {
    case 'shape': {
      const shape = shapes.get(type.name);
      return shape ? withShapes(shape.type, shapes, deep) : { kind: 'null' };
    }
    case 'object':
      return { ...type, members: type.members.map((member) => ({ ...member, type: inner(member.type) })) };
    case 'list':
    case 'set':
    case 'map':
      return { ...type, of: inner(type.of) };
    default:
      return type;
  }
}
