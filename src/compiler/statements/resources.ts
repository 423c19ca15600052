import type { FieldCells, ResourceBullets, WireRules } from '../../language/resources.ts';
import type { Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';

export interface Field extends FieldCells {
  readonly name: Name;
  readonly span: Span;
}

export interface Resource extends ResourceBullets {
  readonly name: Name;
  readonly fields: readonly Field[];
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
