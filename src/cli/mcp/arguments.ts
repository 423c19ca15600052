/** The part of JSON Schema that the arguments of tools need. */
export type ArgumentSchema =
  | { readonly type: 'string' | 'boolean'; readonly description?: string }
  | { readonly type: 'integer'; readonly description?: string; readonly minimum: number; readonly maximum?: number }
  | ObjectSchema;

/** An object with no other members than these. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly description?: string;
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/**
 * A sentence about the first wrong argument of a tool, and the allowed ones; null where all are right. The validator of the
 * library names neither.
 */
export function argumentProblem(schema: ArgumentSchema, value: unknown, name = 'arguments'): string | null {
  switch (schema.type) {
    case 'object':
      return objectProblem(schema, value, name);
    case 'integer': {
      const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum) return null;
      const range = schema.maximum === undefined ? `from ${minimum}` : `from ${minimum} to ${maximum}`;
      return `“${name}” is a whole number ${range}.`;
    }
    default:
      return typeof value === schema.type ? null : `“${name}” is a ${schema.type}.`;
  }
}

function objectProblem({ properties, required }: ObjectSchema, value: unknown, name: string): string | null {
  const known = Object.keys(properties).join(', ');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `“${name}” is an object with ${known}.`;
  const missing = required.find((one) => !Object.hasOwn(value, one));
  if (missing !== undefined)
    return `“${missing}” is missing. ${name === 'arguments' ? 'The arguments' : `The members of “${name}”`} are ${known}.`;
  for (const [key, one] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!schema) return `There is no argument “${key.slice(0, 100)}”. The arguments are ${known}.`;
    const problem = argumentProblem(schema, one, key);
    if (problem !== null) return problem;
  }
  return null;
}
