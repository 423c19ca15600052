module.exports = () => ({
  apiToken: { salt: 'not-a-secret' },
  auth: { secret: 'not-a-secret' },
  transfer: { token: { salt: 'not-a-secret' } },
  secrets: { encryptionKey: 'not-a-secret-of-thirty-two-bytes' },
  flags: { nps: false, promoteEE: false },
});
