import { Head } from '../parts/page-parts.tsx';

export function ResourcesView() {
  return <Head title="ResourcesView" />;
}
export function RowsView() {
  return <Head title="RowsView" />;
}
