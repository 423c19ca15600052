import type { FieldCells, ResourceBullets, WireRules } from '../../language/resources.ts';
import type { Allowed, FieldType } from '../../language/values.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';

/** The cells of a field, whose bytes are read as fields of their own: see `BytesField`. */
export interface Field extends Omit<FieldCells, 'type'> {
  readonly name: Name;
  readonly span: Span;
  readonly type: Located<FieldType> | null;
  /** The field of bytes about which this field says something; absent for fields of the table. */
  readonly of?: string;
}

/** A field of bytes. Its members (`FILE_MEMBERS`) are among the fields of its resource. */
export interface BytesField {
  readonly name: Name;
  /** Null where the document does not settle it. */
  readonly allowed: Extract<Allowed, { kind: 'bytes' }> | null;
  readonly presence: FieldCells['presence'];
}

export interface Resource extends ResourceBullets {
  readonly name: Name;
  readonly fields: readonly Field[];
  readonly bytes: readonly BytesField[];
}

export interface Resources {
  readonly rules: WireRules;
  readonly list: readonly Resource[];
}

/** A unique rule of a column or a bullet. */
export interface UniqueRule {
  readonly fields: readonly string[];
  readonly ignoringCase: readonly string[];
  readonly condition: Token | null;
}

const textsOf = (names: readonly Name[]): string[] => names.map(({ text }) => text);

/** The unique rules of a resource, the identity among them: first those of columns, then those of bullets. */
export function uniqueRules({ fields, uniques }: Resource): UniqueRule[] {
  return [
    ...fields.flatMap(({ name, unique }): UniqueRule[] => {
      // Where the document does not say yet whether a field is unique, it may be.
      if (unique?.value.kind === 'no') return [];
      const own = [name.text];
      const ignores = unique?.value.kind === 'yes' && unique.value.ignoringCase;
      return [{ fields: own, ignoringCase: ignores ? own : [], condition: null }];
    }),
    ...uniques.map(({ fields: own, ignoringCase, condition }) => ({
      fields: textsOf(own),
      ignoringCase: textsOf(ignoringCase),
      condition,
    })),
  ];
}

/** The sets of fields that are unique without a condition. */
export const uniqueKeys = (resource: Resource): ReadonlyArray<readonly string[]> =>
  uniqueRules(resource).flatMap(({ fields, condition }) => (condition ? [] : [fields]));
