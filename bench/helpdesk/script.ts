import type { Sent } from './heard.ts';
import { isSigned, type Outside } from './outside.ts';
import type { Plan, Wanted } from './people.ts';

/** What earlier steps have left. */
export interface Scene {
  /** `Authorization` of a person, by the name. */
  by(person: string): string;
  /** The identity of a person, by the name. */
  id(person: string): string;
  /** The body of the answer to a step, by its title. */
  answer<T = { readonly id: string }>(title: string): T;
  readonly outside: Outside;
}

/** A request, or what the service itself has sent. */
export interface Step {
  readonly title: string;
  request?(scene: Scene): Sent | Promise<Sent>;
  /** Lines that stand for what was sent; JSON among them is masked. */
  hear?(scene: Scene): Promise<readonly string[]>;
  /** How many seconds pass before it. */
  readonly passes?: number;
}

export const PLANS: readonly Plan[] = [
  { name: 'team', rate: 1_000_000, agents: 4 },
  { name: 'tiny', rate: 3, agents: 1 },
];

export const CAST: Wanted = [
  {
    name: 'Acme',
    plan: 'team',
    people: [
      ['Olga', 'owner'],
      ['Adam', 'agent'],
      ['Anna', 'agent'],
      ['Carl', 'customer'],
      ['Cora', 'customer'],
    ],
  },
  {
    name: 'Other',
    plan: 'team',
    people: [
      ['Otto', 'owner'],
      ['Cleo', 'customer'],
    ],
  },
  { name: 'Small', plan: 'tiny', people: [['Owen', 'owner']] },
];

const JSON_TYPE = { 'Content-Type': 'application/json' };
const NOBODY = '00000000-0000-4000-8000-000000000000';

type Body = object | string | undefined;

/** A step that asks the same whatever was answered before. */
const ask = (title: string, person: string | null, method: string, path: string, body?: Body, headers = {}): Step => ({
  title,
  request: ({ by }) => sent(person === null ? null : by(person), method, path, body, headers),
});

/** A step whose address or body depends on earlier answers. */
const askLater = (
  title: string,
  person: string,
  method: string,
  later: (scene: Scene) => readonly [path: string, body?: Body],
  headers = {},
): Step => ({
  title,
  request: (scene) => {
    const [path, body] = later(scene);
    return sent(scene.by(person), method, path, body, headers);
  },
});

function sent(by: string | null, method: string, path: string, body: Body, headers: Record<string, string>): Sent {
  if (body === undefined) return { method, path, by, headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method, path, by, headers: { ...JSON_TYPE, ...headers }, body: text };
}

/** Everything that both services are asked, in order; `withTime`, also what days bring. */
export function script(withTime: boolean): Step[] {
  return [
    ...elsewhere(),
    ...sessions(),
    ...invitations(),
    ...settings(),
    ...hooks(),
    ...writing(),
    ...refusing(),
    ...listing(),
    ...searching(),
    ...changing(),
    ...talking(),
    ...attaching(),
    ...counting(),
    ...leaving(),
    ...telling(),
    ...rates(),
    ...(withTime ? passing() : []),
  ];
}

const elsewhere = (): Step[] => [
  ask('asks for an address that there is not', 'Olga', 'GET', '/nothing'),
  ask('asks for an address whose escape is none', 'Olga', 'GET', '/tags/%zz'),
  ask('asks an address with a method that it has not', 'Olga', 'PUT', '/tickets'),
  ask('asks a ticket with a method that it has not', 'Olga', 'DELETE', '/tickets/1'),
  ask('asks without credentials', null, 'GET', '/me'),
  { title: 'asks with a key of nobody', request: () => ({ method: 'GET', path: '/me', by: 'Bearer abc' }) },
  { title: 'asks with another scheme', request: () => ({ method: 'GET', path: '/me', by: 'Basic YTpi' }) },
  { title: 'asks with the word alone', request: () => ({ method: 'GET', path: '/me', by: 'Bearer' }) },
  { title: 'asks as invited with no key', request: () => ({ method: 'GET', path: '/me', by: 'Invitation abc' }) },
  ask('asks with a parameter that there is not', 'Olga', 'GET', '/me?full=yes'),
  ask('asks for HTML', 'Olga', 'GET', '/me', undefined, { Accept: 'text/html' }),
  ask('asks for anything', 'Olga', 'GET', '/me', undefined, { Accept: 'text/html, */*;q=0.1' }),
  ask('asks for anything but JSON', 'Olga', 'GET', '/me', undefined, { Accept: 'application/json;q=0, */*' }),
  ask('asks for what JSON is', 'Olga', 'GET', '/me', undefined, { Accept: 'application/*;q=0.5, text/html' }),
  ask('sends a body to what is read', 'Olga', 'GET', '/me', '{}'),
  ask('sends a body where none is taken', 'Olga', 'POST', '/tickets/1/solve', '{}'),
];

const sessions = (): Step[] => [
  ask('reads who asks', 'Olga', 'GET', '/me'),
  ask('reads who asks, a customer', 'Carl', 'GET', '/me'),
  ask('signs in', null, 'POST', '/sessions', { email: 'Adam@Acme.example', password: 'correct horse battery' }),
  ask('signs in with a wrong password', null, 'POST', '/sessions', {
    email: 'adam@acme.example',
    password: 'wrong horse battery',
  }),
  ask('signs in as nobody', null, 'POST', '/sessions', {
    email: 'nobody@acme.example',
    password: 'wrong horse battery',
  }),
  ask('signs in with faults', null, 'POST', '/sessions', { email: 'adam', password: 'short', remember: true }),
  ask('signs in with nothing', null, 'POST', '/sessions', {}),
  ask('signs in with nulls', null, 'POST', '/sessions', { email: null, password: 5 }),
  {
    title: 'signs in with a key of nobody',
    request: () =>
      sent('Bearer abc', 'POST', '/sessions', { email: 'a@b.example', password: 'correct horse battery' }, {}),
  },
  {
    title: 'reads who has signed in',
    request: ({ answer }) => sent(`Bearer ${answer<{ token: string }>('signs in').token}`, 'GET', '/me', undefined, {}),
  },
  {
    title: 'signs out',
    request: ({ answer }) =>
      sent(`Bearer ${answer<{ token: string }>('signs in').token}`, 'DELETE', '/sessions/current', undefined, {}),
  },
  {
    title: 'reads who has signed out',
    request: ({ answer }) => sent(`Bearer ${answer<{ token: string }>('signs in').token}`, 'GET', '/me', undefined, {}),
  },
  ask('lists people', 'Adam', 'GET', '/people'),
  ask('lists two people', 'Adam', 'GET', '/people?limit=2'),
  askLater('lists the next people', 'Adam', 'GET', ({ answer }) => [
    `/people?limit=2&cursor=${answer<{ next: string }>('lists two people').next}`,
  ]),
  ask('lists people as a customer', 'Carl', 'GET', '/people'),
  ask('lists people by no number', 'Adam', 'GET', '/people?limit=many'),
  ask('lists no people', 'Adam', 'GET', '/people?limit=0'),
  ask('lists too many people', 'Adam', 'GET', '/people?limit=101'),
  ask('lists people from no place', 'Adam', 'GET', '/people?cursor=there'),
];

const MAIL = '/messages/first-refused';

/** The key in the mail with a number. */
async function keyIn({ outside }: Scene, count: number): Promise<string> {
  const mails = await outside.heard(MAIL, count);
  const { text } = JSON.parse(mails[count - 1]!.body) as { text: string };
  return text.split('#')[1]!;
}

const invitations = (): Step[] => [
  ask('invites', 'Olga', 'POST', '/invitations', { email: 'new@acme.example', role: 'agent' }),
  ask('invites again', 'Olga', 'POST', '/invitations', { email: 'NEW@acme.example', role: 'agent' }),
  ask('invites who is there', 'Olga', 'POST', '/invitations', { email: 'ADAM@acme.example', role: 'agent' }),
  ask('invites too many', 'Olga', 'POST', '/invitations', { email: 'more@acme.example', role: 'agent' }),
  ask('invites with faults', 'Olga', 'POST', '/invitations', { email: 'a b@acme.example', name: 'A' }),
  ask('invites an owner', 'Olga', 'POST', '/invitations', { email: 'boss@acme.example', role: 'owner' }),
  ask('invites as an agent', 'Adam', 'POST', '/invitations', { email: 'x@acme.example', role: 'customer' }),
  {
    title: 'hears of the mail, which was refused once',
    hear: async ({ outside }) => {
      const mails = await outside.heard(MAIL, 2);
      const isSame = mails[0]!.headers['idempotency-key'] === mails[1]!.headers['idempotency-key'];
      const { text, ...rest } = JSON.parse(mails[1]!.body) as { text: string };
      const lines = [JSON.stringify(rest), text.replace(/#.*/, '#‹key›'), `the same key: ${isSame}`];
      // The steps after the answer of the mail service.
      await new Promise((resolve) => setTimeout(resolve, 500));
      return lines;
    },
  },
  ask('lists invitations', 'Olga', 'GET', '/invitations'),
  ask('lists invitations as an agent', 'Adam', 'GET', '/invitations'),
  {
    title: 'joins with faults',
    request: async (scene) =>
      sent(
        `Invitation ${await keyIn(scene, 2)}`,
        'POST',
        '/people',
        { name: '', password: 'short', role: 'owner' },
        {},
      ),
  },
  {
    title: 'joins',
    request: async (scene) =>
      sent(
        `Invitation ${await keyIn(scene, 2)}`,
        'POST',
        '/people',
        { name: '  Nina ', password: 'another horse battery' },
        {},
      ),
  },
  {
    title: 'joins again',
    request: async (scene) =>
      sent(
        `Invitation ${await keyIn(scene, 2)}`,
        'POST',
        '/people',
        { name: 'Nina', password: 'another horse battery' },
        {},
      ),
  },
  ask('joins with a session', 'Olga', 'POST', '/people', { name: 'Nina', password: 'another horse battery' }),
  {
    title: 'reads who has joined',
    request: ({ answer }) => sent(`Bearer ${answer<{ token: string }>('joins').token}`, 'GET', '/me', undefined, {}),
  },
  ask('invites a customer', 'Olga', 'POST', '/invitations', { email: 'second@acme.example', role: 'customer' }),
  askLater('takes an invitation back as an agent', 'Adam', 'DELETE', ({ answer }) => [
    `/invitations/${answer('invites a customer').id}`,
  ]),
  askLater('takes an invitation back', 'Olga', 'DELETE', ({ answer }) => [
    `/invitations/${answer('invites a customer').id}`,
  ]),
  askLater('takes an invitation back again', 'Olga', 'DELETE', ({ answer }) => [
    `/invitations/${answer('invites a customer').id}`,
  ]),
  ask('takes no invitation back', 'Olga', 'DELETE', '/invitations/first'),
];

const settings = (): Step[] => [
  ask('states a target', 'Olga', 'PUT', '/targets/urgent', { answer: 'PT90M' }),
  ask('states another target', 'Olga', 'PUT', '/targets/normal', { answer: 'P1DT36H' }),
  ask('changes a target', 'Olga', 'PUT', '/targets/urgent', { answer: 'PT3600S' }),
  ask('states a target that is too short', 'Olga', 'PUT', '/targets/high', { answer: 'PT4M59S' }),
  ask('states a target that is too long', 'Olga', 'PUT', '/targets/high', { answer: 'P30DT1S' }),
  ask('states a target in months', 'Olga', 'PUT', '/targets/high', { answer: 'P1M' }),
  ask('states a target that is a number', 'Olga', 'PUT', '/targets/high', { answer: 60 }),
  ask('states a target with a further field', 'Olga', 'PUT', '/targets/high', { answer: 'PT1H', priority: 'low' }),
  ask('states no target', 'Olga', 'PUT', '/targets/high', {}),
  ask('states a target of no priority', 'Olga', 'PUT', '/targets/later', { answer: 'PT1H' }),
  ask('states a target as an agent', 'Adam', 'PUT', '/targets/high', { answer: 'PT1H' }),
  ask('lists targets', 'Adam', 'GET', '/targets'),
  ask('lists targets as a customer', 'Carl', 'GET', '/targets'),
  ask('adds a tag', 'Adam', 'POST', '/tags', { name: 'billing' }),
  ask('adds a second tag', 'Adam', 'POST', '/tags', { name: ' shipping ' }),
  ask('adds a tag again', 'Anna', 'POST', '/tags', { name: 'billing' }),
  ask('adds a tag of no form', 'Adam', 'POST', '/tags', { name: 'Billing!' }),
  ask('adds a tag as a customer', 'Carl', 'POST', '/tags', { name: 'mine' }),
  ask('adds a tag under a key', 'Adam', 'POST', '/tags', { name: 'billing' }, { 'Idempotency-Key': 't-1' }),
  ask('adds a tag under the key again', 'Adam', 'POST', '/tags', { name: 'billing' }, { 'Idempotency-Key': 't-1' }),
  ask('adds a tag elsewhere', 'Otto', 'POST', '/tags', { name: 'billing' }),
  ask('lists tags', 'Carl', 'GET', '/tags'),
];

const HEARD = '/hook';
const RETRIED = '/hook/first-refused';

const hooks = (): Step[] => [
  askLater('adds a receiver', 'Olga', 'POST', ({ outside }) => [
    '/hooks',
    {
      url: `http://127.0.0.1:${outside.port}${HEARD}`,
      events: ['ticket.created', 'ticket.moved', 'comment.created', 'ticket.assigned'],
    },
  ]),
  askLater('adds a receiver that refuses at first', 'Olga', 'POST', ({ outside }) => [
    '/hooks',
    { url: `http://127.0.0.1:${outside.port}${RETRIED}`, events: ['ticket.created'] },
  ]),
  ask('adds a receiver of no address', 'Olga', 'POST', '/hooks', { url: 'there', events: ['ticket.created'] }),
  ask('adds a receiver of no events', 'Olga', 'POST', '/hooks', { url: 'https://a.example', events: [] }),
  ask('adds a receiver of other events', 'Olga', 'POST', '/hooks', {
    url: 'https://a.example',
    events: ['ticket.created', 'ticket.lost', 'ticket.created'],
  }),
  ask('adds a receiver as an agent', 'Adam', 'POST', '/hooks', {
    url: 'https://a.example',
    events: ['ticket.created'],
  }),
  ask('lists receivers', 'Olga', 'GET', '/hooks'),
  ask('lists receivers as an agent', 'Adam', 'GET', '/hooks'),
  ask('adds a receiver of a long address', 'Olga', 'POST', '/hooks', {
    url: `https://a.example/${'x'.repeat(500)}`,
    events: 'ticket.created',
  }),
  ask('removes no receiver', 'Olga', 'DELETE', `/hooks/${NOBODY}`),
];

const PAPER = { subject: 'The printer is out of paper', body: 'It says “PC LOAD LETTER”.\nWhat does that mean?' };

const writing = (): Step[] => [
  ask('writes a ticket', 'Carl', 'POST', '/tickets', PAPER),
  askLater('writes a ticket with everything', 'Carl', 'POST', ({ answer }) => [
    '/tickets',
    {
      subject: '  Café order ',
      body: 'Where is it?',
      priority: 'urgent',
      tags: [answer('adds a second tag').id, answer('adds a tag').id],
    },
  ]),
  ask('writes a ticket as an agent', 'Adam', 'POST', '/tickets', {
    subject: '=1+1',
    body: 'a "quoted", text',
    priority: 'low',
  }),
  ask(
    'writes a ticket under a key',
    'Cora',
    'POST',
    '/tickets',
    { ...PAPER, priority: 'high' },
    { 'Idempotency-Key': 'k-1' },
  ),
  ask('writes it again', 'Cora', 'POST', '/tickets', { priority: 'high', ...PAPER }, { 'Idempotency-Key': '"k-1"' }),
  ask('writes another under the key', 'Cora', 'POST', '/tickets', PAPER, { 'Idempotency-Key': 'k-1' }),
  ask('writes under a key that is none', 'Cora', 'POST', '/tickets', PAPER, { 'Idempotency-Key': 'a,b' }),
  ask('writes under the key of another', 'Carl', 'POST', '/tickets', PAPER, { 'Idempotency-Key': 'k-1' }),
  ask('writes elsewhere', 'Cleo', 'POST', '/tickets', {
    subject: 'Elsewhere',
    body: 'Nobody at Acme sees this',
    priority: 'high',
  }),
];

const refusing = (): Step[] => {
  const bodies: Readonly<Record<string, Body>> = {
    'nothing in it': {},
    'several faults': { subject: '', body: 'x'.repeat(20_001), priority: 'soon', tags: 'all', due: 'now' },
    nulls: { subject: null, body: null, priority: null, tags: null },
    'values of other types': { subject: 1, body: ['a'], priority: 2, tags: {} },
    'tags of no form': { ...PAPER, tags: ['billing', 7, NOBODY] },
    'tags that there are not': { ...PAPER, tags: [NOBODY] },
    'a tag twice': { ...PAPER, tags: [NOBODY, NOBODY] },
    'too many tags': { ...PAPER, tags: Array.from({ length: 21 }, (_, i) => NOBODY.replace(/..$/, String(10 + i))) },
    'an unknown field alone': { ...PAPER, colour: 'red' },
    'a long subject': { ...PAPER, subject: 'x'.repeat(201) },
    'a null character': { ...PAPER, subject: 'a\0b' },
    'a list': '[]',
    'no JSON': '{"subject":',
    'nothing at all': '',
    'too much': `{"body":"${'x'.repeat(70_000)}"}`,
  };
  return [
    ...Object.entries(bodies).map(([what, body]) => ask(`writes from ${what}`, 'Carl', 'POST', '/tickets', body)),
    ask('writes from plain text', 'Carl', 'POST', '/tickets', 'text', { 'Content-Type': 'text/plain' }),
    ask('writes from another charset', 'Carl', 'POST', '/tickets', PAPER, {
      'Content-Type': 'application/json; charset=latin1',
    }),
    ask('writes from what is packed', 'Carl', 'POST', '/tickets', PAPER, { 'Content-Encoding': 'gzip' }),
    ask('writes with a parameter', 'Carl', 'POST', '/tickets?now=1', PAPER),
    askLater('writes with a tag of others', 'Carl', 'POST', ({ answer }) => [
      '/tickets',
      { ...PAPER, tags: [answer('adds a tag elsewhere').id] },
    ]),
  ];
};

const listing = (): Step[] => {
  const list = (title: string, query: string, person = 'Adam'): Step => ask(title, person, 'GET', `/tickets${query}`);
  return [
    list('lists tickets', ''),
    list('lists tickets as a customer', '', 'Carl'),
    list('lists tickets elsewhere', '', 'Otto'),
    list('lists tickets by a state', '?status=new'),
    list('lists tickets by another state', '?status=closed'),
    list('lists tickets by a priority', '?priority=high&status=new'),
    list('lists tickets by a tag', '?tag=billing'),
    list('lists tickets by a tag that there is not', '?tag=nothing'),
    list('lists tickets that are overdue', '?overdue=true'),
    list('lists tickets that are not overdue', '?overdue=false&sort=number&direction=asc'),
    list('lists tickets by their time', '?sort=due&direction=asc'),
    list('lists tickets by their time, the last first', '?sort=due&limit=100'),
    list('lists tickets by their change', '?sort=changed&direction=asc'),
    list('lists two tickets', '?limit=2'),
    list('lists two tickets by their time', '?limit=2&sort=due&direction=asc'),
    ...['lists two tickets', 'lists two tickets by their time'].flatMap((title, i) => {
      const query = ['limit=2', 'limit=2&sort=due&direction=asc'][i];
      const next = `${title}, the next page`;
      const cursor = (scene: Scene, of: string): string => scene.answer<{ next: string }>(of).next;
      return [
        askLater(next, 'Adam', 'GET', (scene) => [`/tickets?${query}&cursor=${cursor(scene, title)}`]),
        askLater(`${next} again`, 'Adam', 'GET', (scene) => [`/tickets?${query}&cursor=${cursor(scene, next)}`]),
      ];
    }),
    askLater('lists with the cursor of another', 'Anna', 'GET', ({ answer }) => [
      `/tickets?limit=2&cursor=${answer<{ next: string }>('lists two tickets').next}`,
    ]),
    askLater('lists with the cursor of another filter', 'Adam', 'GET', ({ answer }) => [
      `/tickets?limit=2&status=new&cursor=${answer<{ next: string }>('lists two tickets').next}`,
    ]),
    askLater('lists tickets of an agent', 'Adam', 'GET', ({ id }) => [`/tickets?assignee=${id('Adam')}`]),
    askLater('lists tickets of an agent of others', 'Adam', 'GET', ({ id }) => [`/tickets?assignee=${id('Otto')}`]),
    list('lists tickets of nobody', '?assignee='),
    list('lists tickets of no tag', '?tag=&overdue=TRUE'),
    list('lists too many tickets', '?limit=101&status=lost'),
    list('lists tickets with a place that is none', '?cursor=AAAA'),
    list('lists tickets by their change, the last first', '?sort=changed&limit=3'),
    list('lists by faulty parameters', '?status=lost&overdue=maybe&tag=A!&assignee=me&colour=red'),
    list('lists by a parameter given twice', '?status=new&status=open'),
    list('lists by an unknown order', '?sort=name'),
    list('lists by an unknown parameter', '?colour=red'),
    ask('reads a ticket', 'Carl', 'GET', '/tickets/1'),
    ask('reads a ticket with everything', 'Adam', 'GET', '/tickets/2'),
    ask('reads the ticket of another', 'Cora', 'GET', '/tickets/1'),
    ask('reads a ticket that there is not', 'Adam', 'GET', '/tickets/99'),
    ask('reads a ticket of no number', 'Adam', 'GET', '/tickets/first'),
    ask('reads the ticket of an organisation', 'Otto', 'GET', '/tickets/1'),
  ];
};

const searching = (): Step[] => {
  const search = (title: string, q: string, person = 'Adam'): Step =>
    ask(title, person, 'GET', `/tickets:search?${new URLSearchParams({ q })}`);
  return [
    search('searches a word', 'order'),
    search('searches the beginning of a word', 'caf'),
    search('searches with an accent and capitals', 'CAFÉ'),
    search('searches two words of one ticket', 'where order'),
    search('searches two words of no ticket', 'order printer'),
    search('searches with what FTS5 understands', '"caf" OR NOT (order*'),
    ask('searches one of several', 'Adam', 'GET', '/tickets:search?q=paper&limit=1'),
    askLater('searches the next one', 'Adam', 'GET', ({ answer }) => [
      `/tickets:search?q=paper&limit=1&cursor=${answer<{ next: string }>('searches one of several').next}`,
    ]),
    search('searches without words', '!!'),
    search('searches as another customer', 'order', 'Cora'),
    search('searches what others wrote', 'elsewhere'),
    ask('searches nothing', 'Adam', 'GET', '/tickets:search'),
    ask('searches an empty text', 'Adam', 'GET', '/tickets:search?q='),
    ask('searches a long text', 'Adam', 'GET', `/tickets:search?q=${'x'.repeat(101)}`),
  ];
};

const changing = (): Step[] => [
  ask('changes a ticket', 'Adam', 'PATCH', '/tickets/1', { priority: 'urgent', subject: 'No paper' }),
  ask('searches a word of the change', 'Adam', 'GET', '/tickets:search?q=no+paper'),
  ask('changes nothing', 'Adam', 'PATCH', '/tickets/2', {}),
  ask('changes by a merge patch', 'Adam', 'PATCH', '/tickets/2', '{"tags":[]}', {
    'Content-Type': 'application/merge-patch+json',
  }),
  ask('writes by a merge patch', 'Carl', 'POST', '/tickets', PAPER, { 'Content-Type': 'application/merge-patch+json' }),
  ask('changes to nulls', 'Adam', 'PATCH', '/tickets/1', { priority: null, tags: null, subject: null }),
  ask('changes what may not be changed', 'Adam', 'PATCH', '/tickets/1', { status: 'closed' }),
  ask('changes as a customer', 'Carl', 'PATCH', '/tickets/1', { subject: 'Mine' }),
  ask('changes a ticket that there is not', 'Adam', 'PATCH', '/tickets/99', { subject: 'Mine' }),
  askLater('assigns a ticket', 'Adam', 'PUT', ({ id }) => ['/tickets/1/assignee', { person: id('Anna') }]),
  askLater('assigns it again', 'Adam', 'PUT', ({ id }) => [
    '/tickets/1/assignee',
    { person: id('Adam').toUpperCase() },
  ]),
  askLater('assigns to a customer', 'Adam', 'PUT', ({ id }) => ['/tickets/1/assignee', { person: id('Carl') }]),
  askLater('assigns to somebody of others', 'Adam', 'PUT', ({ id }) => ['/tickets/1/assignee', { person: id('Otto') }]),
  ask('assigns to nobody', 'Adam', 'PUT', '/tickets/1/assignee', { person: NOBODY }),
  askLater('assigns as a customer', 'Carl', 'PUT', ({ id }) => ['/tickets/1/assignee', { person: id('Adam') }]),
  askLater('lists tickets that were assigned', 'Anna', 'GET', ({ id }) => [`/tickets?assignee=${id('Adam')}`]),
  ask('solves a ticket', 'Adam', 'POST', '/tickets/3/solve'),
  ask('solves it again', 'Adam', 'POST', '/tickets/3/solve'),
  ask('solves it under a key', 'Adam', 'POST', '/tickets/3/solve', undefined, { 'Idempotency-Key': 's-1' }),
  ask('reopens a ticket', 'Adam', 'POST', '/tickets/3/reopen'),
  ask('solves it under the same key', 'Adam', 'POST', '/tickets/3/solve', undefined, { 'Idempotency-Key': 's-1' }),
  ask('reopens it again', 'Adam', 'POST', '/tickets/3/reopen'),
  ask('solves several', 'Adam', 'POST', '/tickets:solve', { numbers: [3, 4] }),
  ask('solves several under a key', 'Adam', 'POST', '/tickets:solve', { numbers: [2] }, { 'Idempotency-Key': 'b-1' }),
  ask('reopens one of several', 'Carl', 'POST', '/tickets/2/reopen'),
  ask(
    'solves several under the key again',
    'Adam',
    'POST',
    '/tickets:solve',
    { numbers: [2] },
    { 'Idempotency-Key': 'b-1' },
  ),
  ask('solves several again', 'Adam', 'POST', '/tickets:solve', { numbers: [4, 5] }),
  ask('solves what there is not', 'Adam', 'POST', '/tickets:solve', { numbers: [2, 99] }),
  ask('solves as a customer', 'Carl', 'POST', '/tickets:solve', { numbers: [1] }),
  ask('solves none', 'Adam', 'POST', '/tickets:solve', { numbers: [] }),
  ask('solves what is no number', 'Adam', 'POST', '/tickets:solve', { numbers: [1.5, 0, 'x', 1_000_000_001] }),
  ask('solves one twice', 'Adam', 'POST', '/tickets:solve', { numbers: [1, 1] }),
  ask('reads what several solved', 'Adam', 'GET', '/tickets?sort=number&direction=asc'),
];

const talking = (): Step[] => [
  ask('answers a ticket', 'Adam', 'POST', '/tickets/1/comments', { text: 'Put paper into it.' }),
  ask('reads what waits', 'Carl', 'GET', '/tickets/1'),
  ask('notes something inside', 'Adam', 'POST', '/tickets/1/comments', { text: 'Again.', internal: true }),
  ask('answers back', 'Carl', 'POST', '/tickets/1/comments', { text: 'Thank you!' }),
  ask('reads what is open as a customer', 'Carl', 'GET', '/tickets/1'),
  ask('reads what is open as an agent', 'Adam', 'GET', '/tickets/1'),
  ask('answers what was solved', 'Cora', 'POST', '/tickets/4/comments', { text: 'Not yet.' }),
  ask('reads what was solved', 'Cora', 'GET', '/tickets/4'),
  ask('notes inside as a customer', 'Carl', 'POST', '/tickets/1/comments', { text: 'Secret', internal: true }),
  ask('answers under a key', 'Adam', 'POST', '/tickets/2/comments', { text: 'Soon.' }, { 'Idempotency-Key': 'c-1' }),
  ask(
    'answers under the key again',
    'Adam',
    'POST',
    '/tickets/2/comments',
    { text: 'Soon.' },
    { 'Idempotency-Key': 'c-1' },
  ),
  ask('answers with faults', 'Adam', 'POST', '/tickets/1/comments', { text: '   ', internal: 'yes', to: 'all' }),
  ask('answers with nulls', 'Adam', 'POST', '/tickets/1/comments', { text: null, internal: null }),
  ask('answers with nothing', 'Adam', 'POST', '/tickets/1/comments', {}),
  ask('answers a ticket of no number', 'Adam', 'POST', '/tickets/0/comments', { text: 'Hello' }),
  ask('answers the ticket of another', 'Cora', 'POST', '/tickets/1/comments', { text: 'Hello' }),
];

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(5000, 7)]);

function upload(title: string, person: string, path: string, body: Buffer, type: string, headers = {}): Step {
  return {
    title,
    request: ({ by }) => ({
      method: 'POST',
      path,
      by: by(person),
      headers: { 'Content-Type': type, ...headers },
      body,
    }),
  };
}

function download(title: string, person: string, of: string, headers: Record<string, string> = {}): Step {
  return askLater(title, person, 'GET', ({ answer }) => [`/tickets/1/attachments/${answer(of).id}`], {
    Accept: '*/*',
    ...headers,
  });
}

const attaching = (): Step[] => [
  upload('attaches a picture', 'Carl', '/tickets/1/attachments?name=printer.png', PNG, 'image/png'),
  upload(
    'attaches a picture inside',
    'Adam',
    `/tickets/1/attachments?internal=true&name=${encodeURIComponent('Büro “1”/a.png')}`,
    PNG,
    'image/png',
  ),
  upload('attaches under a key', 'Adam', '/tickets/1/attachments?name=b.png', PNG, 'image/png', {
    'Idempotency-Key': 'a-1',
  }),
  upload('attaches under the key again', 'Adam', '/tickets/1/attachments?name=b.png', PNG, 'image/png', {
    'Idempotency-Key': 'a-1',
  }),
  upload(
    'attaches another under the key',
    'Adam',
    '/tickets/1/attachments?name=b.png',
    Buffer.concat([PNG, PNG]),
    'image/png',
    { 'Idempotency-Key': 'a-1' },
  ),
  upload(
    'attaches what is no picture',
    'Carl',
    '/tickets/1/attachments?name=a.png',
    Buffer.from('%PDF-1.7 text'),
    'image/png',
  ),
  upload(
    'attaches a document',
    'Carl',
    '/tickets/1/attachments?name=a.pdf',
    Buffer.from('%PDF-1.7 text'),
    'application/pdf',
  ),
  upload('attaches a script', 'Carl', '/tickets/1/attachments?name=a.html', Buffer.from('<script>'), 'text/html'),
  upload('attaches without a name', 'Carl', '/tickets/1/attachments?internal=1', PNG, 'image/png'),
  upload('attaches inside as a customer', 'Carl', '/tickets/1/attachments?name=a.png&internal=true', PNG, 'image/png'),
  upload('attaches to the ticket of another', 'Cora', '/tickets/1/attachments?name=a.png', PNG, 'image/png'),
  ask('reads what is attached', 'Adam', 'GET', '/tickets/1'),
  ask('reads what is attached as a customer', 'Carl', 'GET', '/tickets/1'),
  download('loads a picture', 'Carl', 'attaches a picture'),
  download('loads a picture inside', 'Adam', 'attaches a picture inside'),
  download('loads a picture inside as a customer', 'Carl', 'attaches a picture inside'),
  download('loads a picture as another', 'Cora', 'attaches a picture'),
  download('loads a part', 'Carl', 'attaches a picture', { Range: 'bytes=0-9' }),
  download('loads the end', 'Carl', 'attaches a picture', { Range: 'bytes=-8' }),
  download('loads from the middle', 'Carl', 'attaches a picture', { Range: 'bytes=5000-' }),
  download('loads past the end', 'Carl', 'attaches a picture', { Range: 'bytes=9000-' }),
  download('loads two parts', 'Carl', 'attaches a picture', { Range: 'bytes=0-1,4-5' }),
  download('loads a part if a tag holds', 'Carl', 'attaches a picture', { Range: 'bytes=0-9', 'If-Range': '"a"' }),
  download('loads as JSON', 'Carl', 'attaches a picture', { Accept: 'application/json' }),
  ask('loads what is not attached', 'Carl', 'GET', `/tickets/1/attachments/${NOBODY}`, undefined, { Accept: '*/*' }),
];

const counting = (): Step[] => [
  ask('counts', 'Adam', 'GET', '/counts'),
  ask('counts elsewhere', 'Otto', 'GET', '/counts'),
  ask('counts as a customer', 'Carl', 'GET', '/counts'),
  ask('asks for the old report', 'Adam', 'GET', '/reports/priorities'),
  ask('asks for the old report as a customer', 'Carl', 'GET', '/reports/priorities'),
  ask('loads a table', 'Adam', 'GET', '/tickets.csv', undefined, { Accept: 'text/csv' }),
  ask('loads a table by a state', 'Adam', 'GET', '/tickets.csv?status=solved', undefined, { Accept: '*/*' }),
  ask('loads a table by no state', 'Adam', 'GET', '/tickets.csv?status=lost', undefined, { Accept: 'text/csv' }),
  ask('loads a table as a customer', 'Carl', 'GET', '/tickets.csv', undefined, { Accept: 'text/csv' }),
  ask('loads a table as JSON', 'Adam', 'GET', '/tickets.csv', undefined, { Accept: 'application/json' }),
];

const leaving = (): Step[] => [
  askLater('removes oneself', 'Olga', 'DELETE', ({ id }) => [`/people/${id('Olga')}`]),
  askLater('removes as an agent', 'Adam', 'DELETE', ({ id }) => [`/people/${id('Anna')}`]),
  askLater('removes somebody of others', 'Olga', 'DELETE', ({ id }) => [`/people/${id('Otto')}`]),
  ask('removes somebody with a body', 'Olga', 'DELETE', `/people/${NOBODY}`, '{}'),
  ask('removes nobody', 'Olga', 'DELETE', '/people/first'),
  askLater('removes an agent', 'Olga', 'DELETE', ({ id }) => [`/people/${id('Adam')}`]),
  ask('asks as somebody who has left', 'Adam', 'GET', '/me'),
  ask('signs in as somebody who has left', null, 'POST', '/sessions', {
    email: 'adam@acme.example',
    password: 'correct horse battery',
  }),
  askLater('assigns to somebody who has left', 'Anna', 'PUT', ({ id }) => [
    '/tickets/1/assignee',
    { person: id('Adam') },
  ]),
  ask('reads what nobody has any more', 'Anna', 'GET', '/tickets/1'),
  ask('lists who is there', 'Anna', 'GET', '/people'),
  ask('counts who is there', 'Anna', 'GET', '/counts'),
  ask('reads the changes of a ticket', 'Anna', 'GET', '/tickets/1/changes'),
  ask('reads two changes of a ticket', 'Anna', 'GET', '/tickets/3/changes?limit=2'),
  askLater('reads the next changes', 'Anna', 'GET', ({ answer }) => [
    `/tickets/3/changes?limit=2&cursor=${answer<{ next: string }>('reads two changes of a ticket').next}`,
  ]),
  ask('reads the changes of a ticket as a customer', 'Carl', 'GET', '/tickets/1/changes'),
  ask('reads the changes of the ticket of another', 'Cora', 'GET', '/tickets/1/changes'),
  ask('reads the changes of a ticket elsewhere', 'Otto', 'GET', '/tickets/1/changes'),
  askLater('removes a tag', 'Anna', 'DELETE', ({ answer }) => [`/tags/${answer('adds a tag').id}`]),
  askLater('removes a tag again', 'Anna', 'DELETE', ({ answer }) => [`/tags/${answer('adds a tag').id}`]),
  askLater('removes a tag as a customer', 'Carl', 'DELETE', ({ answer }) => [
    `/tags/${answer('adds a second tag').id}`,
  ]),
  ask('reads what had a tag', 'Anna', 'GET', '/tickets/2'),
];

/** How many events the receivers have heard by then. */
const HEARD_COUNT = 24;
const RETRIED_COUNT = 6;

const telling = (): Step[] => [
  {
    title: 'hears of everything, signed',
    hear: async ({ outside, answer }) => {
      const { secret } = answer<{ secret: string }>('adds a receiver');
      const events = await outside.heard(HEARD, HEARD_COUNT);
      const lines = events.map(
        (event) => `${isSigned(event, secret)} ${event.headers['content-type']} ${shape(event.body)}`,
      );
      return [`${new Set(events.map(({ headers }) => headers['webhook-id'])).size} events`, ...lines.sort()];
    },
  },
  {
    title: 'hears again of what was refused',
    hear: async ({ outside, answer }) => {
      const { secret } = answer<{ secret: string }>('adds a receiver that refuses at first');
      const events = await outside.heard(RETRIED, RETRIED_COUNT);
      const ids = new Set(events.map(({ headers }) => headers['webhook-id']));
      return [
        `${events.length} requests of ${ids.size} events, signed: ${events.every((one) => isSigned(one, secret))}`,
      ];
    },
  },
  askLater('removes a receiver', 'Olga', 'DELETE', ({ answer }) => [
    `/hooks/${answer<{ hook: { id: string } }>('adds a receiver').hook.id}`,
  ]),
  ask('lists the receivers that are left', 'Olga', 'GET', '/hooks'),
];

/** The body of an event without its chance: identities and times. Events come in no order. */
const shape = (body: string): string =>
  body.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '‹id›').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '‹time›');

const rates = (): Step[] => [
  ...[1, 2, 3, 4].map((time) => ask(`asks on a small plan, ${time}`, 'Owen', 'GET', '/me')),
  ask('adds an agent on a small plan', 'Owen', 'POST', '/invitations', { email: 'a@small.example', role: 'agent' }),
];

const DAY = 24 * 60 * 60;
const LATE = '/late';

/** What time brings by itself: what is due, over, forgotten and ended. */
const passing = (): Step[] => [
  askLater('adds a receiver of what is late', 'Olga', 'POST', ({ outside }) => [
    '/hooks',
    { url: `http://127.0.0.1:${outside.port}${LATE}`, events: ['ticket.overdue', 'ticket.moved'] },
  ]),
  ask('writes what is answered late', 'Carl', 'POST', '/tickets', { ...PAPER, priority: 'normal' }),
  ask('writes what is answered in time', 'Carl', 'POST', '/tickets', { ...PAPER, priority: 'urgent' }),
  ask('answers in time', 'Anna', 'POST', '/tickets/7/comments', { text: 'Soon.' }),
  ask('solves what is closed', 'Anna', 'POST', '/tickets/4/solve', undefined, { 'Idempotency-Key': 'late' }),
  ask('invites who does not come', 'Olga', 'POST', '/invitations', { email: 'late@acme.example', role: 'customer' }),
  { title: 'nine days pass', passes: 9 * DAY },
  {
    title: 'hears of what is late, and of what was closed',
    hear: async ({ outside }) => {
      const events = await outside.heard(LATE, LATE_COUNT);
      return events.map(({ body }) => shape(body)).sort();
    },
  },
  ask('reads what is late', 'Anna', 'GET', '/tickets?overdue=true&sort=due&direction=asc'),
  ask('reads what was closed', 'Anna', 'GET', '/tickets?status=closed'),
  ask('reads the changes of what was closed', 'Anna', 'GET', '/tickets/4/changes'),
  ask('counts after nine days', 'Anna', 'GET', '/counts'),
  ask('lists the invitations that are left', 'Olga', 'GET', '/invitations'),
  ask('invites again who did not come', 'Olga', 'POST', '/invitations', {
    email: 'late@acme.example',
    role: 'customer',
  }),
  ask('solves under a forgotten key', 'Anna', 'POST', '/tickets/4/solve', undefined, { 'Idempotency-Key': 'late' }),
  ask('answers what is closed', 'Cora', 'POST', '/tickets/4/comments', { text: 'Wait!' }),
  ask('changes what is closed', 'Anna', 'PATCH', '/tickets/4', { subject: 'Closed' }),
  ask('reopens what is closed', 'Anna', 'POST', '/tickets/4/reopen'),
  askLater('assigns what is closed', 'Anna', 'PUT', ({ id }) => ['/tickets/4/assignee', { person: id('Anna') }]),
  upload('attaches to what is closed', 'Cora', '/tickets/4/attachments?name=a.png', PNG, 'image/png'),
  ask('changes what is late', 'Anna', 'PATCH', '/tickets/6', { priority: 'high' }),
  { title: 'a year passes', passes: 350 * DAY },
  ask('asks for the old report when it is gone', 'Anna', 'GET', '/reports/priorities'),
  ask('reads the changes of the last year', 'Anna', 'GET', '/tickets/4/changes'),
];

/** The events that the last receiver hears of. */
const LATE_COUNT = 7;
