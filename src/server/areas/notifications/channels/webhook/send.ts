import { toThin } from '#contract/notifications/thin.ts'
import { webhookRequest } from '#contract/notifications/webhook-request.ts'
import { DESTINATION_GONE, SEND_TIMEOUT_MS, type Send } from '../../deliver/send.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { exchangeOnce } from '../exchange.ts'
import { classifyWebhook } from './classify.ts'
import { WEBHOOK_DIGESTS } from './sign.ts'

type Deps = Pick<NotificationDeps, 'safeFetch' | 'clock' | 'baseUrl'> & {
  /** The endpoint's URL as it was configured; undefined when the channel is gone or disabled. */
  openUrl: (channelId: string) => Promise<string | undefined>
}

/** Sends a JSON array of thin notifications, signed at the time of sending. */
export function webhookSender({ safeFetch, clock, baseUrl, openUrl }: Deps): Send {
  return async ({ delivery, notifications }, signal) => {
    const url = delivery.channel_id === null ? undefined : await openUrl(delivery.channel_id)
    if (url === undefined) return DESTINATION_GONE
    const message = webhookRequest(WEBHOOK_DIGESTS, {
      url,
      deliveryId: delivery.id,
      notifications: notifications.map((one) => toThin(one, baseUrl())),
      at: clock.now(),
    })
    const exchange = await exchangeOnce(safeFetch, url, {
      method: 'POST',
      ...message,
      signal,
      timeoutMs: SEND_TIMEOUT_MS,
      redirects: 3,
      keepConnection: true,
    })
    return { outcome: classifyWebhook(exchange, clock.now()), status: exchange.status }
  }
}
