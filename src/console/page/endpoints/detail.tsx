import type { ShapeContract } from '../../../contract/contract.ts';
import type { AnswerContract, EndpointContract, ParameterContract } from '../../../contract/endpoint.ts';
import type { ContractType, MemberContract } from '../../../contract/types.ts';
import { typeText } from '../../../contract/words.ts';
import { neededText } from '../../../plan/callers.ts';
import { pathSegment } from '../../../text/path-segment.ts';
import { showDuration, showSize } from '../../../text/units.ts';
import type { EndpointAnswer, PlanLine } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer, useApp } from '../app/app.ts';
import { Head, Loaded, Section } from '../parts/page-parts.tsx';
import { LineLink, Status } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';
import { counted } from '../parts/words.ts';
import { Try } from './try.tsx';

/** The view of one endpoint: its parameters, steps and answers, beside a form that sends a request. */
export function EndpointDetail({ name }: { readonly name: string }) {
  const { query } = useApp().place;
  // The row that the example request is about.
  const about = new URLSearchParams();
  for (const key of ['resource', 'row']) about.set(key, query.get(key) ?? '');
  const answer = useAnswer<EndpointAnswer>(`/endpoints/${pathSegment(name)}?${about}`);
  return (
    <>
      <Head
        title={name}
        above={<a href={addresses.endpoints()}>Endpoints</a>}
        below={answer.data && <Facts endpoint={answer.data.endpoint} />}
      >
        {answer.data && (
          <a class="button narrow" href="#try">
            Try it
          </a>
        )}
      </Head>
      <Loaded answer={answer} what={name}>
        {(data) => (
          <div class="columns">
            <div>
              <Takes answer={data} />
              <PlanSteps plan={data.plan} />
              <Answers answer={data} />
            </div>
            <Try sample={data.sample} endpoint={data.endpoint} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Facts({ endpoint }: { readonly endpoint: EndpointContract }) {
  const { service } = useApp();
  const { access, limits, idempotency, lines } = endpoint;
  const callers = service.schemes.filter((one) => access.schemes.includes(one.name)).map((one) => one.caller);
  const any = access.kind === 'anyone' ? 'anyone' : `any ${[...new Set(callers)].join(' or ')}`;
  const who = access.needs ? `callers with ${neededText(access.needs)}` : any;
  const facts = [
    `For ${who}`,
    limits.timeout ? `answers within ${showDuration(limits.timeout.milliseconds)}` : null,
    limits.requestSize && endpoint.body ? `bodies up to ${showSize(limits.requestSize.bytes)}` : null,
    idempotency ? `repeatable by ${idempotency.header}${idempotency.required ? '' : ', if it is sent'}` : null,
  ].filter((one) => one !== null);
  return (
    <>
      {facts.join(' · ')} · <LineLink line={lines[0]} />
    </>
  );
}

function Takes({ answer: { endpoint, shapes } }: { readonly answer: EndpointAnswer }) {
  const { parameters, body } = endpoint;
  return (
    <Section id="takes" title="Takes">
      {parameters.length === 0 && body === null ? (
        <p class="muted">This endpoint takes no parameters and no body.</p>
      ) : (
        <Table
          caption="Parameters and members of the body"
          labelledBy="takes"
          headings={['Name', 'In', 'Value', 'Document']}
        >
          {parameters.map((one) => (
            <ParameterRow key={`${one.in} ${one.name}`} one={one} />
          ))}
          {body && <Members members={body.type.members} shapes={shapes} where="body" />}
        </Table>
      )}
    </Section>
  );
}

function ParameterRow({ one }: { readonly one: ParameterContract }) {
  return (
    <tr>
      <th scope="row">
        <code>{one.name}</code>
        {!one.required && <span class="muted"> optional</span>}
      </th>
      <td class="muted">{one.in}</td>
      <td>{typeText(one.type)}</td>
      <td class="tight">
        <LineLink line={one.lines[0]} />
      </td>
    </tr>
  );
}

const PHASES: Readonly<Record<PlanLine['phase'], string>> = {
  before: 'Before the transaction',
  inside: 'Inside the transaction',
  after: 'After the commit',
};

function PlanSteps({ plan }: { readonly plan: readonly PlanLine[] }) {
  const phases = Map.groupBy(plan, (one) => one.phase);
  return (
    <Section id="does" title="Does" note="in this order">
      <div class="plan">
        {[...phases].map(([phase, lines]) => (
          <div key={phase}>
            <h3>{PHASES[phase]}</h3>
            <ol>
              {lines.map(({ text, line }, i) => (
                <li key={i}>
                  <span>{text}</span>
                  <LineLink line={line} />
                </li>
              ))}
            </ol>
          </div>
        ))}
      </div>
    </Section>
  );
}

/** The answers: successes, the refusals of the endpoint, and behind a fold those that every endpoint has. */
function Answers({ answer: { endpoint, shared, shapes } }: { readonly answer: EndpointAnswer }) {
  const { answers } = endpoint;
  const own = answers.filter((_, i) => !shared.includes(i));
  const first = [...own.filter(({ code }) => code === null), ...own.filter(({ code }) => code !== null)];
  const all = answers.filter((_, i) => shared.includes(i));
  return (
    <Section id="answers" title="Answers" note="the success first, then refusals in the order they are checked">
      <AnswerTable caption={`Answers of ${endpoint.name}`} answers={first} shapes={shapes} />
      {all.length > 0 && (
        <details class="fold">
          <summary>{counted(all.length, 'answer')} that every endpoint has</summary>
          <AnswerTable caption="Answers of every endpoint" answers={all} shapes={shapes} />
        </details>
      )}
    </Section>
  );
}

interface AnswersProps {
  readonly caption: string;
  readonly answers: readonly AnswerContract[];
  readonly shapes: readonly ShapeContract[];
}

function AnswerTable({ caption, answers, shapes }: AnswersProps) {
  return (
    <Table caption={caption} headings={['Status', 'Code', 'When', 'Document']}>
      {answers.map((one, i) => (
        <AnswerRow key={i} one={one} shapes={shapes} />
      ))}
    </Table>
  );
}

interface AnswerProps {
  readonly one: AnswerContract;
  readonly shapes: readonly ShapeContract[];
}

function AnswerRow({ one: { status, code, title, because, lines, body }, shapes }: AnswerProps) {
  const success = code === null && body !== null;
  return (
    <>
      <tr>
        <td>
          <Status status={status} />
        </td>
        <th scope="row">
          {code ? <code>{code}</code> : <span class="muted">{body ? body.mediaType : 'no body'}</span>}
        </th>
        <td>
          {title && <div>{title}</div>}
          <div class="muted">{because.text || because.name}</div>
        </td>
        <td class="tight">
          <LineLink line={lines[0]} />
        </td>
      </tr>
      {success && <Members members={membersOf(body.type, shapes)} shapes={shapes} where="answer" />}
    </>
  );
}

interface Props {
  readonly members: readonly MemberContract[];
  readonly shapes: readonly ShapeContract[];
  /** The place of the members: the body of a request, or an answer. */
  readonly where: 'body' | 'answer';
}

/** Objects in objects are shown so deep: a shape may hold itself. */
const DEEPEST = 4;

interface Named {
  readonly name: string;
  readonly member: MemberContract;
}

/** The members of an object as rows of a table; those of objects in it under their dotted names. */
function Members({ members, shapes, where }: Props) {
  return (
    <>
      {named(members, shapes, '', 0).map(({ name, member }) => (
        <tr key={name}>
          {where === 'answer' && <td />}
          <th scope="row">
            <code>{name}</code>
            {member.presence === 'optional' && <span class="muted"> optional</span>}
          </th>
          {where === 'body' && <td class="muted">body</td>}
          <td>
            {ownText(member.type, shapes)}
            {member.nullable && <span class="muted"> or null</span>}
            {member.otherwise && (
              <span class="muted">
                {' else '}
                <code>{member.otherwise.text}</code>
              </span>
            )}
          </td>
          <td class="tight">
            <LineLink line={member.lines[0]} />
          </td>
        </tr>
      ))}
    </>
  );
}

/** The members that a type has, if it is an object or a shape. */
function membersOf(type: ContractType, shapes: readonly ShapeContract[]): readonly MemberContract[] {
  if (type.kind === 'object') return type.members;
  if (type.kind === 'shape') return shapes.find((one) => one.name === type.name)?.type.members ?? [];
  if (type.kind === 'list' || type.kind === 'set') return membersOf(type.of, shapes);
  return [];
}

function named(
  members: readonly MemberContract[],
  shapes: readonly ShapeContract[],
  before: string,
  deep: number,
): readonly Named[] {
  if (deep > DEEPEST) return [];
  return members.flatMap((member): Named[] => {
    const many = member.type.kind === 'list' || member.type.kind === 'set' ? '[]' : '';
    const name = before + member.name;
    const inner = membersOf(member.type, shapes);
    return [{ name, member }, ...named(inner, shapes, `${name}${many}.`, deep + 1)];
  });
}

/** A type in words. For an object, this is only the kind of object, since its members are listed below. */
function ownText(type: ContractType, shapes: readonly ShapeContract[]): string {
  if (type.kind === 'object') return 'object';
  if (type.kind === 'shape') return shapes.find((one) => one.name === type.name)?.resource ?? type.name;
  if (type.kind === 'list' || type.kind === 'set') return `${type.kind} of ${ownText(type.of, shapes)}`;
  return typeText(type);
}
