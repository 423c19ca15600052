import { Head } from '../parts/page-parts.tsx';

export function DeliveriesView() {
  return <Head title="DeliveriesView" />;
}
