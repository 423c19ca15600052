import { isForm } from '../../../src/verify/target/request-body.ts';
import { documentText, withChange } from '../../subject.ts';
import { type Fault, withText } from './fault.ts';

const forms = documentText('src/compiler/endpoints/cases/documents/forms.md');
const OF_FORM = 'endpoint POST /visits: payloads';

/** A service that reads each form as another one. */
const formAs = (name: string, change: (text: string) => string, key = OF_FORM): Fault => ({
  name,
  stated: forms,
  key,
  taken: (request) => (isForm(request.headers) ? withText(request, change) : request),
});

/** The pairs of a form, of which only one of each name is kept. */
const onePair = (text: string, isKept: (pair: string, i: number, all: readonly string[]) => boolean): string =>
  text.split('&').filter(isKept).join('&');

const nameOf = (pair: string): string => pair.replace(/=.*/s, '');

export const FORMS: readonly Fault[] = [
  formAs('does not read a plus in a form as a space', (text) => text.replaceAll('+', '%2B')),
  formAs('does not decode the escapes of a form', (text) => text.replaceAll('%', '%25')),
  formAs('takes the escapes of a form for Latin-1', (text) =>
    text.replace(/%([89A-F].)/gi, (_, hex) => encodeURIComponent(String.fromCharCode(parseInt(hex, 16)))),
  ),
  formAs(
    'takes malformed escapes of a form as they are',
    (text) => text.replace(/%(?![0-9a-f]{2})/gi, '%25'),
    'endpoint POST /visits: request',
  ),
  formAs('takes the last value of a name that occurs twice', (text) =>
    onePair(text, (pair, i, all) => {
      const isList = /^(?:tags|ages)=/.test(pair);
      return isList || !all.slice(i + 1).some((other) => nameOf(other) === nameOf(pair));
    }),
  ),
  formAs('takes the first item of a list in a form', (text) =>
    onePair(text, (pair, i, all) => !all.slice(0, i).some((other) => nameOf(other) === nameOf(pair))),
  ),
  formAs('takes an empty value of a form for none', (text) => onePair(text, (pair) => !pair.endsWith('='))),
  formAs(
    'reads the words of HTML as booleans',
    (text) => text.replace(/inside=1(?=&|$)/, 'inside=true'),
    'field Visit.inside',
  ),
  {
    name: 'takes no form',
    stated: forms,
    key: OF_FORM,
    served: withChange(
      forms,
      '- Payloads: JSON (RFC 8259), requests as JSON or form (URL Standard)\n',
      '- Payloads: JSON (RFC 8259)\n',
    ),
  },
  {
    name: 'takes forms alone',
    stated: forms,
    key: OF_FORM,
    served: withChange(forms, '- Payloads: JSON (RFC 8259), requests as JSON or form (URL Standard)\n', ''),
  },
  {
    name: 'takes JSON where it should take forms alone',
    stated: forms,
    key: 'endpoint POST /token: payloads',
    served: withChange(
      forms,
      '### `POST /token`\n',
      '### `POST /token`\n\n- Payloads: JSON (RFC 8259), requests as JSON or form (URL Standard)\n',
    ),
  },
];
