import { toThin } from '#contract/notifications/thin.ts'
import { webhookRequest } from '#contract/notifications/webhook-request.ts'
import { DESTINATION_GONE, SEND_TIMEOUT_MS, type Send } from '../../deliver/send.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { exchangeOnce } from '../exchange.ts'
import { classifyWebhook } from './classify.ts'
import { standardKey, WEBHOOK_DIGESTS } from './sign.ts'
import type { OpenWebhook } from './store.ts'

type Deps = Pick<NotificationDeps, 'safeFetch' | 'clock' | 'baseUrl'> & {
  /** Undefined when the channel is gone or disabled. */
  openWebhook: (channelId: string) => Promise<OpenWebhook | undefined>
}

/** Sends a JSON array of thin notifications, signed at the time of sending. */
export function webhookSender({ safeFetch, clock, baseUrl, openWebhook }: Deps): Send {
  return async ({ delivery, notifications }, signal) => {
    const webhook = delivery.channel_id === null ? undefined : await openWebhook(delivery.channel_id)
    if (webhook === undefined) return DESTINATION_GONE
    const { url, secrets } = webhook
    const message = webhookRequest(WEBHOOK_DIGESTS, {
      url,
      deliveryId: delivery.id,
      notifications: notifications.map((one) => toThin(one, baseUrl())),
      at: clock.now(),
      // A resend is the same message for receivers that recognise repetitions by its id.
      standard:
        secrets.length > 0 ? { id: delivery.resend_of ?? delivery.id, keys: secrets.map(standardKey) } : undefined,
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
