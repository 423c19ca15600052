import type { JSX } from 'preact';
import { ActivityView } from './activity/view.tsx';
import type { Place } from './app/router.ts';
import { ReceiversView } from './deliveries/receivers.tsx';
import { DeliveriesView } from './deliveries/view.tsx';
import { DocumentView } from './document/view.tsx';
import { EditView } from './edit/view.tsx';
import { EndpointsView } from './endpoints/view.tsx';
import { KeysView } from './keys/view.tsx';
import { MigrationView } from './migration/view.tsx';
import { Head } from './parts/page-parts.tsx';
import { RequestsView } from './requests/view.tsx';
import { RowView } from './rows/row.tsx';
import { ResourcesView, RowsView } from './rows/view.tsx';
import { StatesView } from './states/view.tsx';

/** The view of an address. */
export function viewOf({ parts }: Place): () => JSX.Element {
  const [first = '', second, third] = parts;
  switch (first) {
    case '':
      return DocumentView;
    case 'edit':
      return EditView;
    case 'states':
      return StatesView;
    case 'endpoints':
      return EndpointsView;
    case 'requests':
      return RequestsView;
    case 'rows':
      return third !== undefined ? RowView : second !== undefined ? RowsView : ResourcesView;
    case 'deliveries':
      return DeliveriesView;
    case 'receivers':
      return ReceiversView;
    case 'keys':
      return KeysView;
    case 'activity':
      return ActivityView;
    case 'migration':
      return MigrationView;
    default:
      return NotFound;
  }
}

function NotFound() {
  return (
    <>
      <Head title="There is nothing here" />
      <p>The console has no view at this address. The navigation lists the views.</p>
    </>
  );
}
