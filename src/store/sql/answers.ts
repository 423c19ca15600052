/** The body of a kept answer, `a`: its own, or the data of the event that was recorded with it. */
export const ANSWER_BODY = 'coalesce(a.own_body, (SELECT e.packed FROM ninefold_event e WHERE e.seq = a.event))';
