import { Page } from '../../../parts/page.tsx'
import { Follows } from './follows.tsx'

/** What the person hears about, and how. */
export function ProfileNotificationsPage() {
  return (
    <Page title="Profile settings">
      <section className="stack">
        <h2>Notifications</h2>
        <Follows />
      </section>
    </Page>
  )
}
