// An address that leads nowhere.
import { Link, useTitle } from '../router.tsx';
import { Empty } from '../ui/parts.tsx';

export function NotFound() {
  useTitle('Not found');
  return (
    <div className="page">
      <h1 className="unseen">Not found</h1>
      <Empty
        icon="search"
        title="There is no page at this address"
        action={
          <Link className="button primary" href="/explore">
            Open the explorer
          </Link>
        }
      >
        The link may be old, or a letter is missing.
      </Empty>
    </div>
  );
}
