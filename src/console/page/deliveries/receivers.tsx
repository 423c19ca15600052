import { Head } from '../parts/page-parts.tsx';

export function ReceiversView() {
  return <Head title="ReceiversView" />;
}
