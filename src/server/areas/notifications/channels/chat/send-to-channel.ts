import { DESTINATION_GONE, SEND_TIMEOUT_MS, type Send } from '../../deliver/send.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { exchangeOnce } from '../exchange.ts'
import { classifyIncomingWebhook } from './classify-webhook.ts'
import { channelMessage } from './message.ts'

type Deps = Pick<NotificationDeps, 'safeFetch' | 'clock' | 'baseUrl'> & {
  /** The incoming webhook; undefined when the channel is gone or disabled. */
  openUrl: (channelId: string) => Promise<string | undefined>
}

export function chatChannelSender({ safeFetch, clock, baseUrl, openUrl }: Deps): Send {
  return async ({ delivery, notifications, isDigest }, signal) => {
    const url = delivery.channel_id === null ? undefined : await openUrl(delivery.channel_id)
    if (url === undefined) return DESTINATION_GONE
    const exchange = await exchangeOnce(safeFetch, url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'svc-notifications' },
      body: JSON.stringify(channelMessage({ notifications, isDigest, baseUrl: baseUrl() })),
      signal,
      timeoutMs: SEND_TIMEOUT_MS,
    })
    return { outcome: classifyIncomingWebhook(exchange, clock.now()), status: exchange.status }
  }
}
