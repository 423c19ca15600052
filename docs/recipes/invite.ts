/** Hands the message to the service that sends your mail, by its HTTP API. */
export async function invite(
  given: { invitation: string; to: string; secret: string },
  about: { key: string },
): Promise<Record<string, never>> {
  const answer = await fetch(process.env.MAIL_URL ?? 'http://127.0.0.1:8025/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': about.key },
    body: JSON.stringify({
      to: given.to,
      subject: 'You are invited',
      // Browsers send the part after # to no server: a page reads it, and sends both parts in the body.
      text: `Choose a password: https://desk.example/join#${given.invitation}.${given.secret}`,
    }),
  });
  // An exception is a failed attempt, which is made again later.
  if (!answer.ok) throw new Error(`The mail service answered ${answer.status}`);
  return {};
}
