/** The statuses of redirects (RFC 9110, section 15.4) that an Answer may have. */
export const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Whether a status is that of an Answer step: a success, or a redirect. 304 belongs to conditional requests. */
export const isSuccess = (status: number): boolean => status < 300 || REDIRECTS.includes(status);

/** Whether an Answer with the status has no body. */
export const isBodiless = (status: number): boolean => status === 204 || status === 205 || REDIRECTS.includes(status);
