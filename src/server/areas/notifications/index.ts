import type { Route } from '#edge/route/route.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import { chatCallbackRoute } from './channels/chat/callback.ts'
import { startInstallationRoute } from './channels/chat/installation.ts'
import { linkRoutes } from './channels/chat/link.ts'
import { chatRoutes } from './channels/chat/routes.ts'
import { confirmEmailRoutes } from './channels/email/confirm-page.ts'
import { mailboxRoute } from './channels/email/mailbox-page.ts'
import { emailRoutes } from './channels/email/routes.ts'
import { forumRoutes } from './channels/forum/routes.ts'
import { channelsRoute } from './channels/routes.ts'
import { testChannelRoute } from './channels/test-notification.ts'
import { webhookRoutes } from './channels/webhook/routes.ts'
import { webhookSecretRoutes } from './channels/webhook/secret-routes.ts'
import { createDeliveries, type DeliveryDeps } from './create-deliveries.ts'
import type { ClaimedDelivery } from './deliver/claim.ts'
import { followRoutes } from './follows/routes.ts'
import { ackAllRoute, ackRoute } from './inbox/ack.ts'
import { followRoute } from './inbox/follow.ts'
import { listRoute, unreadRoute } from './inbox/list.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import type { NotificationDeps } from './model/deps.ts'
import { settingsRoutes } from './settings/routes.ts'
import { subscriptionRoutes } from './subscribe/routes.ts'
import { unsubscribeRoutes } from './subscriptions/unsubscribe.ts'
import { createSystemMails } from './system-mail/store.ts'

export { CHAT_BOT_TOKENS } from './channels/chat/secret.ts'
export { KEPT_MAILS } from './channels/email/mailbox-store.ts'
export { CHANNEL_SECRETS } from './channels/secret.ts'
export { SIGNING_SECRETS } from './channels/webhook/secret-store.ts'
export { notificationsEraser } from './erase/eraser.ts'
export { FOLLOW_LINK_TOKENS } from './follow-links/store.ts'
export type { MailSettings } from './model/deps.ts'
export { SYSTEM_MAILS } from './model/mail-content.ts'
export { countParkable, type Parkable, parkDeliveries } from './restore/park-store.ts'
export { UNSUBSCRIBE_TOKENS } from './subscriptions/unsubscribe-token.ts'
export { createSystemMails } from './system-mail/store.ts'

export type Notifications = {
  readonly routes: readonly Route[]
  readonly loops: readonly Loop[]
  readonly slots: readonly JobKind<ClaimedDelivery>[]
}

export function createNotifications(given: DeliveryDeps & Omit<NotificationDeps, 'mails'>): Notifications {
  const deps = { ...given, mails: createSystemMails(given) }
  return {
    routes: [
      listRoute(deps),
      followRoute(deps),
      unreadRoute(deps),
      ackRoute(deps),
      ackAllRoute(deps),
      channelsRoute(deps),
      testChannelRoute(deps),
      ...webhookRoutes(deps),
      ...webhookSecretRoutes(deps),
      ...chatRoutes(deps),
      startInstallationRoute(deps),
      chatCallbackRoute(deps),
      ...linkRoutes(deps),
      ...forumRoutes(deps),
      ...emailRoutes(deps),
      ...confirmEmailRoutes(deps),
      ...subscriptionRoutes(deps),
      ...unsubscribeRoutes(deps),
      mailboxRoute(deps),
      ...settingsRoutes(deps),
      ...ledgerRoutes(deps),
      ...followRoutes(deps),
    ],
    ...createDeliveries(deps),
  }
}
