/** A character of a value in a path: one of its own, or an escape as a whole. */
const CHARACTER = '(?:%[0-9A-Fa-f]{2}|[^/%])';

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

/** A pattern of the paths that match a template, after `plainPath`; each parameter is a group. */
export function pathPattern(template: string): RegExp {
  const texts = template.split(/\{[^}]+\}/).map((text) => text.replace(SPECIAL, '\\$&'));
  return new RegExp(`^${texts.join(`(${CHARACTER}+)`)}$`);
}

/**
 * The path with every letter, digit and mark that needs no escape written plainly (RFC 3986, section 6.2.2.2). Other
 * escapes stay: an escaped colon is part of a value, and never the colon of a path.
 */
export const plainPath = (path: string): string =>
  path.replace(/%[0-9A-Fa-f]{2}/g, (hex) => {
    const character = String.fromCharCode(Number.parseInt(hex.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : hex;
  });

/**
 * A sort key for templates. Of two that match a path, the preferred one sorts first: where they first differ, it has no
 * parameter, or more text around its parameter.
 */
export const pathOrder = (template: string): string =>
  template
    .split('/')
    .map((segment) => {
      const text = segment.replace(/\{[^}]*\}/, '').length;
      return segment.includes('{') ? `${9999 - text}` : '0000';
    })
    .join('/');
