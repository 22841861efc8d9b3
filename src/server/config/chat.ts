import type { EnvironmentReader } from './reader.ts'

export function readChat(read: EnvironmentReader) {
  /** The operator's app at Slack. Undefined when chat is connected by incoming webhooks only. */
  const slack = read.client('SLACK')
  if (read.text('SVC_SLACK_CLIENT_ID') && read.text('SVC_REDIRECT_BASE_URL') === undefined) {
    read.fault('SVC_SLACK_CLIENT_ID requires SVC_REDIRECT_BASE_URL: the address that people use')
  }
  return Object.freeze({ slack })
}
