/** Hands an invitation to the service that sends the organisation’s mail, by its HTTP API. */
export async function invite(
  given: { invitation: string; to: string; from: string; key: string },
  about: { key: string },
): Promise<Record<string, never>> {
  const answer = await fetch(process.env.MAIL_URL ?? 'http://127.0.0.1:8025/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': about.key },
    body: JSON.stringify({
      to: given.to,
      subject: `${given.from} invites you to its helpdesk`,
      // Browsers send the part after # to no server: a page reads it, and sends it as a header.
      text: `Choose a password within three days: https://helpdesk.example/join#${given.key}`,
    }),
  });
  // An exception is a failed attempt, which is made again later.
  if (!answer.ok) throw new Error(`The mail service answered ${answer.status}`);
  return {};
}
