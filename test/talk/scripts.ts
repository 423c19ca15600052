import type { Request, Said, Turn } from './side.ts';

/** Says turns to a service, and hears what comes of them. */
export interface Teller {
  say(turn: Turn): Promise<Said>;
}

/** What to say to the services of some documents that nothing made up by chance comes to say. */
export const SCRIPTS: Readonly<Record<string, (teller: Teller) => Promise<void>>> = {
  'apiary.md': findingsAtHives,
  'issues.md': labelsOfIssues,
  'sessions.md': sessionsAndMachines,
  'tasks.md': membersWithTasks,
};

/** A request with a body, if there is one, by the holder of a key, if there is one. */
function request(method: string, path: string, credential: string | null, body?: unknown): Request {
  const text = body === undefined ? null : JSON.stringify(body);
  const headers: Array<[string, string]> = credential === null ? [] : [['Authorization', credential]];
  if (text !== null)
    headers.push(['Content-Type', 'application/json'], ['Content-Length', `${Buffer.byteLength(text)}`]);
  return { method, path, query: null, headers, body: text, late: 0 };
}

/** The operator enters a row and issues a key for it; gives what stands before the key, and the key. */
async function keyFor(
  { say }: Teller,
  resource: string,
  fields: Readonly<Record<string, string>>,
  id: string,
  scheme: { name: string; word: string; scopes: readonly string[] },
): Promise<string> {
  await say({ say: 'add', resource, fields: new Map(Object.entries(fields)) });
  const said = await say({ say: 'key', resource, id, scopes: scheme.scopes, scheme: scheme.name });
  return `${scheme.word} ${said.headers.find(([name]) => name === 'key')?.[1]}`;
}

/** What an inspector finds at a hive, while somebody listens. */
async function findingsAtHives({ say }: Teller): Promise<void> {
  const fields = new Map(Object.entries({ number: '1', name: 'Ada', inspector: 'true' }));
  await say({ say: 'add', resource: 'Keeper', fields });
  const said = await say({ say: 'key', resource: 'Keeper', id: '1', scopes: [], scheme: "Keeper's key" });
  const key = said.headers.find(([name]) => name === 'key')?.[1] ?? '';
  const plain = (method: string, path: string, body?: unknown): Request => {
    const one = request(method, path, null, body);
    return { ...one, headers: [...one.headers, ['X-Register-Key', key]] };
  };
  await say({ say: 'open', request: plain('GET', '/alerts') });
  const place = {
    name: 'Lime walk',
    zone: 'UTC',
    location: { latitude: '50.5000', longitude: '9.5000' },
    forage: ['lime'],
  };
  const apiary = await say({ say: 'request', request: plain('POST', '/apiaries', place) });
  const number = /"number":(\d+)/.exec(apiary.body ?? '')?.[1];
  const hive = { queen: '2025-05-01', race: 'carnica' };
  for (let i = 0; i < 2; i++) await say({ say: 'request', request: plain('POST', `/apiaries/${number}/hives`, hive) });
  const found = { day: '2026-11-19', mites: { 'frame-1': 500 } };
  for (const [path, body] of [
    ['inspections', found],
    ['confirm', undefined],
    ['destroy', undefined],
  ] as const)
    await say({ say: 'request', request: plain('POST', `/apiaries/${number}/hives/1/${path}`, body) });
  await say({ say: 'wait', milliseconds: 60_000 });
}

/** Labels and people come and go, on issues and in the repository, and somebody without a key looks on. */
async function labelsOfIssues(teller: Teller): Promise<void> {
  const scheme = { name: 'Personal token', word: 'Bearer', scopes: [] };
  const ada = await keyFor(teller, 'User', { login: 'ada' }, '1', scheme);
  await teller.say({ say: 'add', resource: 'User', fields: new Map([['login', 'ben']]) });
  const send = (method: string, path: string, body?: unknown, who: string | null = ada): Promise<Said> =>
    teller.say({ say: 'request', request: request(method, path, who, body) });
  await send('POST', '/user/repos', { name: 'lace' });
  for (const name of ['bug', 'wish']) await send('POST', '/repos/ada/lace/labels', { name });
  await send('POST', '/repos/ada/lace/issues', { title: 'It frays', labels: ['bug'], assignees: ['ada'] });
  const look = async (): Promise<void> => {
    for (const path of ['', '/labels', '/issues', '/issues/1', '/issues/1/labels', '/issues/1/comments'])
      for (const who of [ada, null]) await send('GET', `/repos/ada/lace${path}`, undefined, who);
  };
  await look();
  await send('POST', '/repos/ada/lace/issues/1/assignees', { assignees: ['ben'] });
  await look();
  await send('DELETE', '/repos/ada/lace/issues/1/assignees', { assignees: ['ada'] });
  await look();
  await send('PUT', '/repos/ada/lace/issues/1/labels', { labels: ['bug', 'wish'] });
  await look();
  await send('DELETE', '/repos/ada/lace/issues/1/labels/wish');
  await look();
  await send('DELETE', '/repos/ada/lace/labels/bug');
  await look();
}

/** Members who have only opened a task, and only taken one, are to be removed. */
async function membersWithTasks(teller: Teller): Promise<void> {
  const scheme = { name: 'Team key', word: 'Key', scopes: ['tasks'] };
  const opener = await keyFor(teller, 'Member', { number: '1', name: 'Ada' }, '1', scheme);
  const taker = await keyFor(teller, 'Member', { number: '2', name: 'Ben' }, '2', scheme);
  const send = (method: string, path: string, who: string, body?: unknown): Promise<Said> => {
    const plain = request(method, path, who, body);
    const headers = [...plain.headers, ['Tasks-Version', '2026-10-01'] as const];
    return teller.say({ say: 'request', request: { ...plain, headers } });
  };
  const opened = await send('POST', '/tasks', opener, { title: 'Mend the lace', weight: 1, public: true });
  const id = /"id":"([^"]+)"/.exec(opened.body ?? '')?.[1];
  await send('PUT', `/tasks/${id}/assignee`, taker);
  for (const member of ['2', '1']) await teller.say({ say: 'remove', resource: 'Member', id: member });
}

/** People sign up and in, with a session that may change machines and one that may not, and a machine gets a new key. */
async function sessionsAndMachines({ say }: Teller): Promise<void> {
  const send = (method: string, path: string, headers: Request['headers'], body?: unknown): Promise<Said> => {
    const plain = request(method, path, null, body);
    return say({ say: 'request', request: { ...plain, headers: [...plain.headers, ...headers] } });
  };
  const origin = ['Origin', 'https://app.example'] as const;
  const session = (key: string) => [['Cookie', `__Host-session=${key}`] as const, origin];
  const machine = (key: string) => [['X-Machine-Key', key] as const];
  const cookieOf = ({ headers }: Said): string =>
    /^__Host-session=([^;]*)/.exec(headers.find(([name]) => name === 'Set-Cookie')?.[1] ?? '')?.[1] ?? '';
  const told = ({ body }: Said, name: string): string => new RegExp(`"${name}":"([^"]+)"`).exec(body ?? '')?.[1] ?? '';

  const ada = { email: 'ada@example.com', password: 'correct horse battery' };
  const user = await send('POST', '/users', [origin], ada);
  await send('POST', '/users', [origin], { ...ada, email: 'no address' });
  const own = session(cookieOf(user));
  const said = await say({
    say: 'key',
    resource: 'User',
    id: told(user, 'id'),
    scopes: [],
    scheme: 'Session',
  });
  const narrow = session(said.headers.find(([name]) => name === 'key')?.[1] ?? '');
  const made = await send('POST', '/machines', own, { label: 'lathe' });
  const path = `/machines/${told(made, 'id')}`;
  for (const by of [own, narrow]) await send('PATCH', path, by, { label: 'drill' });
  await send('PATCH', path, own, {});
  await send('GET', '/me', [own[0]!, ['Origin', 'https://reports.example']]);
  const again = await send('POST', `${path}/key`, own);
  for (const key of [told(made, 'key'), told(again, 'key')]) await send('GET', '/report', machine(key));
  await send('DELETE', '/report/key', machine(told(again, 'key')));
  await send('GET', '/report', machine(told(again, 'key')));
  const passwords = { current: ada.password, password: 'another horse battery' };
  await send('PUT', '/me/password', own, passwords);
  await send('PATCH', path, own, { label: 'gone' });
  for (const by of [narrow, own]) await send('DELETE', '/sessions/current', by);
  for (const by of [narrow, own]) await send('GET', '/me', by);
  await send('POST', '/sessions', [origin], { ...ada, email: 'ADA@example.com', password: passwords.password });
}
