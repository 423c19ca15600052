import type { FieldCells, ResourceBullets, WireRules } from '../../language/resources.ts';
import type { Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';

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

/** The sets of fields that are unique without a condition: first those of columns, then those of bullets. */
export function uniqueKeys(resource: Resource): string[][] {
  return [
    ...resource.fields.filter((field) => field.unique?.value.kind !== 'no').map((field) => [field.name.text]),
    ...resource.uniques.filter((rule) => !rule.condition).map((rule) => rule.fields.map((field) => field.text)),
  ];
}
