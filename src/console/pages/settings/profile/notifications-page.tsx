import { Page } from '#console/parts/page.tsx'
import { ChatLink } from './chat-link.tsx'
import { Follows } from './follows.tsx'
import { ProfileTabs } from './tabs.tsx'

/** What the person hears about, and how. */
export function ProfileNotificationsPage() {
  return (
    <Page title="Profile settings">
      <ProfileTabs />
      <Follows />
      <ChatLink />
    </Page>
  )
}
