import { Head } from '../parts/page-parts.tsx';

export function StatesView() {
  return <Head title="StatesView" />;
}
