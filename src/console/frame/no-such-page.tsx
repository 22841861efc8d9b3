import { Link } from '@tanstack/react-router'
import { Page } from '../parts/page/page.tsx'

export function NoSuchPage() {
  return (
    <Page title="No such page">
      <p>
        Nothing is at <code>{location.pathname}</code>. It may have been deleted, or the address has a mistake.
      </p>
      <p>
        <Link to="/">Go to Home</Link>
      </p>
    </Page>
  )
}
