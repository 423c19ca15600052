import type { Located } from '../../syntax/names.ts';

/** Who says where the service lives: the operator, or the document itself. */
type Address = { readonly kind: 'operator' } | { readonly kind: 'stated'; readonly url: string };

/** What the service does. Purpose and domain are free text: they reach the documentation, and nothing at run time depends on them. */
export interface Purpose {
  readonly purpose: Located<string> | null;
  readonly domain: Located<string> | null;
  /** Who says where the service lives. */
  readonly address: Located<Address> | null;
}
