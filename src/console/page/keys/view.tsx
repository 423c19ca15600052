import { Head } from '../parts/page-parts.tsx';

export function KeysView() {
  return <Head title="KeysView" />;
}
