import type { Clock } from '#lib/clock.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import { SEND_TIMEOUT_MS, type Send } from '../../deliver/send.ts'
import { exchangeOnce } from '../exchange.ts'
import { classifyIncomingWebhook } from './classify-webhook.ts'
import { channelMessage } from './message.ts'

type Deps = {
  safeFetch: SafeFetch
  clock: Clock
  /** Address of the console, which links begin with. */
  baseUrl: () => string
  /** The incoming webhook; undefined when the channel is gone or disabled. */
  openUrl: (channelId: string) => Promise<string | undefined>
}

/** Posts one line and one link into the connected chat channel. */
export function chatChannelSender({ safeFetch, clock, baseUrl, openUrl }: Deps): Send {
  return async ({ delivery, notifications, isDigest }, signal) => {
    const url = delivery.channel_id === null ? undefined : await openUrl(delivery.channel_id)
    if (url === undefined) return { outcome: { type: 'dropped', reason: 'destination_gone' } }
    const exchange = await exchangeOnce(safeFetch, url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'svc-notifications' },
      body: JSON.stringify(channelMessage({ notifications, isDigest, baseUrl: baseUrl() })),
      signal,
      timeoutMs: SEND_TIMEOUT_MS,
    })
    const outcome = classifyIncomingWebhook(exchange, clock.now())
    return exchange.status === undefined ? { outcome } : { outcome, status: exchange.status }
  }
}
