const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PARAMETERS = new RegExp(`[ \\t]*;[ \\t]*(${TOKEN})=(?:(${TOKEN})|"([^"\\\\]*)")`, 'g');
const WHOLE = new RegExp(`^(${TOKEN}/${TOKEN})((?:[ \\t]*;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))?)*)[ \\t]*$`);

/** Whether a header names one of the media types, with UTF-8 or without a charset (RFC 9110, section 8.3). */
export function isOfType(header: string | undefined, types: readonly string[]): boolean {
  if (header === undefined || types.includes(header)) return header !== undefined;
  const found = WHOLE.exec(header);
  if (!found?.[1] || !types.includes(found[1].toLowerCase())) return false;
  return [...(found[2] ?? '').matchAll(PARAMETERS)].every(
    ([, name = '', bare, quoted]) => name.toLowerCase() !== 'charset' || /^utf-8$/i.test(bare ?? quoted ?? ''),
  );
}

export const JSON_TYPES: readonly string[] = ['application/json'];
export const PATCH_TYPES: readonly string[] = ['application/json', 'application/merge-patch+json'];
