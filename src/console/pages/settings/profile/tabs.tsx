import { Tabs } from '#console/parts/page/tabs.tsx'

const TABS = [
  { label: 'Notifications', to: '/settings/profile' },
  { label: 'Sessions', to: '/settings/profile/sessions' },
] as const

export function ProfileTabs() {
  return <Tabs label="Profile settings" items={TABS} />
}
