// Shown for paths that match no page.
import { Link, useTitle } from '../router.tsx';
import { Empty } from '../ui/parts.tsx';

export function NotFound() {
  useTitle('Page not found');
  return (
    <div className="page">
      <h1 className="unseen">Page not found</h1>
      <Empty
        icon="search"
        title="Page not found"
        action={
          <Link className="button primary" href="/explore">
            Open explorer
          </Link>
        }
      >
        Check the URL, or the link may be out of date.
      </Empty>
    </div>
  );
}
