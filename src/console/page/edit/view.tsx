import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app/app.ts';
import { Empty, Head, Loading } from '../parts/page-parts.tsx';

/** The view in which the document is edited. Its code is loaded when it is opened. */
export function EditView() {
  const { service } = useApp();
  const [Workspace, setWorkspace] = useState<(() => JSX.Element) | 'failed' | null>(null);
  useEffect(() => {
    if (!service.edit) return;
    import('./workspace.tsx').then(
      (loaded) => setWorkspace(() => loaded.Workspace),
      () => setWorkspace('failed'),
    );
  }, [service.edit]);
  if (typeof Workspace === 'function') return <Workspace />;
  return (
    <>
      <Head title="Edit" />
      {!service.edit ? (
        <Empty title="The document cannot be edited here">
          A service that runs with <code>--edit</code> has an editor.
        </Empty>
      ) : Workspace === 'failed' ? (
        <p class="notice bad">The editor could not be loaded. Load the page again.</p>
      ) : (
        <Loading what="the editor" />
      )}
    </>
  );
}
