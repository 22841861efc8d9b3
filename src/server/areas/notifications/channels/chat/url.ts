import { ServiceError } from '#contract/core/errors.ts'

/** An incoming webhook of Slack, also of its separate installation for governments. */
const INCOMING_WEBHOOK =
  /^https:\/\/hooks\.slack(?:-gov)?\.com\/services\/(T[A-Z0-9]{1,20})\/(B[A-Z0-9]{1,20})\/[A-Za-z0-9]{8,64}$/

type IncomingWebhook = {
  readonly url: string
  readonly workspaceId: string
  /** Stands for the channel where the channel itself is not known. */
  readonly hookId: string
}

/** Returns undefined for anything but the URL of an incoming webhook. */
export function parseIncomingWebhook(url: string): IncomingWebhook | undefined {
  const [, workspaceId, hookId] = INCOMING_WEBHOOK.exec(url) ?? []
  return workspaceId === undefined || hookId === undefined ? undefined : { url, workspaceId, hookId }
}

/** Throws INVALID_REQUEST for another URL. The message does not repeat it, because it may be secret. */
export function readIncomingWebhook(text: string): IncomingWebhook {
  const found = parseIncomingWebhook(text.trim())
  if (found) return found
  const message =
    'This is not the URL of an incoming webhook. Copy it from the settings of the chat app: it looks like https://hooks.slack.com/services/T…/B…/….'
  throw new ServiceError('INVALID_REQUEST', message, { errors: [{ path: 'webhook_url', message }] })
}
