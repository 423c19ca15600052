/** The token of the administrator, who configures it. */
export const ADMIN = 'token-of-the-administrator';
/** The name of its file in its data directory. */
export const DATABASE = 'directus.sqlite';
