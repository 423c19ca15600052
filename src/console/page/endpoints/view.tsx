import { Head } from '../parts/page-parts.tsx';

export function EndpointsView() {
  return <Head title="EndpointsView" />;
}
