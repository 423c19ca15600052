import type { Draft, Field } from './draft.ts';

/** The entries of an audit, as rows of a table of fields, and the bullet of the resource whose changes they record. */
export interface Audit {
  readonly entries: string;
  readonly rows: ReadonlyArray<readonly string[]>;
}

/** An audit of the changes of one resource, sometimes: the entries have a resource of their own. */
export function makeAudit(draft: Draft): Audit | null {
  const { audits: random, tie } = draft;
  const audited = random.among(draft.resources.filter((one) => one.created && one !== tie?.tie));
  if (!audited || !random.chance(0.4)) return null;
  // An entry holds the identity of a row in the place of a reference, of which the document may have any.
  const plain = audited.fields.filter(
    ({ typed, given }) => typed.kind !== 'row' && typed.kind !== 'rows' && !given.some((one) => /sequence/.test(one)),
  );
  const fields = random.some(
    plain.filter((one) => one !== audited.identity),
    random.int(1, 3),
  );
  if (fields.length === 0) return null;
  const recorded = (): string => (random.chance(0.6) ? 'recorded' : 'not recorded');
  const facts = ['Audited: ', fields.map(({ name }) => name).join(', ')].join('');
  audited.bullets.push(`${facts}; creation ${recorded()}; removal ${recorded()}; in Log; kept for ever`);
  const caller = draft.caller === null ? null : draft.resource(draft.caller);
  const of = (name: string, { type, format, allowed, given }: Field, source: string, presence: string): string[] => [
    name,
    type,
    format,
    given.some((one) => /^sequence/.test(one)) ? '1 to 9007199254740991' : allowed,
    source,
    presence,
    'no',
  ];
  return {
    entries: 'Log',
    rows: [
      ['number', 'integer', 'none', 'any', 'sequence', 'always', 'identity'],
      of('row', audited.identity, 'audit row', 'always'),
      ['what', 'string', 'none', 'one of created, changed, removed', 'audit action', 'always', 'no'],
      ['why', 'string', 'none', 'one of request, timer, operator', 'audit cause', 'always', 'no'],
      ['at', 'timestamp', 'none', 'any', 'on create `now()`', 'always', 'no'],
      ...(caller ? [of('who', caller.identity, `audit caller ${caller.name}`, 'optional')] : []),
      ...fields.flatMap((field) => [
        of(`was_${field.name}`, field, `audit before ${field.name}`, 'optional'),
        ...(random.chance(0.7) ? [of(`is_${field.name}`, field, `audit after ${field.name}`, 'optional')] : []),
      ]),
    ],
  };
}
