/** Hands the message to the service that sends your mail, by its HTTP API. */
export async function mail(
  given: { user: string; to: string; key: string },
  about: { key: string },
): Promise<Record<string, never>> {
  const answer = await fetch(process.env.MAIL_URL ?? 'http://127.0.0.1:8025/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': about.key },
    body: JSON.stringify({
      to: given.to,
      subject: 'Confirm your address',
      // Browsers send the part after # to no server: a page reads it, and sends it as a header.
      text: `Your confirmation: https://accounts.example/confirm#${given.key}`,
    }),
  });
  // An exception is a failed attempt, which is made again later.
  if (!answer.ok) throw new Error(`The mail service answered ${answer.status}`);
  return {};
}
