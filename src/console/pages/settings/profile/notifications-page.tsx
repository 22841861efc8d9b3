import { Page } from '#console/parts/page/page.tsx'
import { ChatLink } from './chat-link.tsx'
import { Follows } from './follows.tsx'
import { ProfileTabs } from './tabs.tsx'

/** The notifications that the person gets, and the ways they get them. */
export function ProfileNotificationsPage() {
  return (
    <Page title="Profile settings">
      <ProfileTabs />
      <Follows />
      <ChatLink />
    </Page>
  )
}
