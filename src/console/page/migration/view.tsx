import { Head } from '../parts/page-parts.tsx';

export function MigrationView() {
  return <Head title="MigrationView" />;
}
