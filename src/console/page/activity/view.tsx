import { Head } from '../parts/page-parts.tsx';

export function ActivityView() {
  return <Head title="ActivityView" />;
}
