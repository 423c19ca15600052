/** How decimals are written, and what becomes of one with more digits than its field has. */
export interface DecimalForm {
  readonly as: 'strings' | 'numbers';
  readonly rounding: 'refused' | 'half even' | 'half up' | 'down';
}

/** The formats of text whose own standard limits its length, and the others. */
export const BOUNDED_FORMATS = ['hostname', 'ipv4', 'ipv6', 'time zone', 'webhook secret'] as const;
export const OPEN_FORMATS = ['email', 'uri'] as const;

/** The formats of text that is stored as it is sent. */
export type TextFormat = (typeof OPEN_FORMATS | typeof BOUNDED_FORMATS)[number];
