import { Link } from '@tanstack/react-router'
import { Copy } from '#console/parts/copy.tsx'
import { Empty } from '#console/parts/empty.tsx'

/** Shown to developers and above while no database is a data source. */
export function NoSources() {
  return (
    <Empty title="No data sources yet">
      <p>
        A data source is a database that an admin enables for questions. Create a database first, then enable it here.
      </p>
      <Copy isBlock text="svc db create docs" />
      <p>
        <Link to="/databases">Go to Databases</Link>
      </p>
    </Empty>
  )
}

/** Shown to people who only ask. */
export function NothingToAsk() {
  return (
    <Empty title="No source that you may ask">
      <p>An admin exposes a source with a minimum role. Ask one to expose a source to your role.</p>
    </Empty>
  )
}
