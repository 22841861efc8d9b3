import { isTrue, searchOf } from '#console/address/search.ts'
import { pagesBelow, type RootRoute } from '#console/frame/root-route.tsx'

export function inboxRoutes(root: RootRoute) {
  const { filteredPage } = pagesBelow(root)
  return [filteredPage('/inbox', searchOf({ unread: isTrue }), () => import('./inbox-page.tsx'), 'InboxPage')] as const
}
