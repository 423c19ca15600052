import type { TryRequest } from '../../protocol.ts';

/** The content of a request: text, a file, or the parts of a form. */
export type Content = Required<Pick<TryRequest, 'body' | 'file' | 'parts'>>;

/** The content with which the form begins. */
export const contentOf = ({ body, file = null, parts = null }: TryRequest): Content => ({ body, file, parts });
