import type { EnvironmentReader } from './reader.ts'

export type ChatSettings = {
  /** The operator's app at Slack. Undefined when chat is connected by incoming webhooks only. */
  slack: { readonly clientId: string; readonly clientSecret: string } | undefined
}

export function readChat(read: EnvironmentReader): Readonly<ChatSettings> {
  const clientId = read.text('SVC_SLACK_CLIENT_ID')
  const clientSecret = read.text('SVC_SLACK_CLIENT_SECRET')
  if (clientId && !clientSecret) read.fault('SVC_SLACK_CLIENT_ID requires SVC_SLACK_CLIENT_SECRET')
  if (clientSecret && !clientId) read.fault('SVC_SLACK_CLIENT_SECRET requires SVC_SLACK_CLIENT_ID')
  if (clientId && read.text('SVC_REDIRECT_BASE_URL') === undefined) {
    read.fault('SVC_SLACK_CLIENT_ID requires SVC_REDIRECT_BASE_URL: the address that people use')
  }
  return Object.freeze({ slack: clientId && clientSecret ? Object.freeze({ clientId, clientSecret }) : undefined })
}
