import { Head } from '../parts/page-parts.tsx';

export function RowView() {
  return <Head title="RowView" />;
}
