import type { EnvironmentReader } from './reader.ts'

const DEFAULT_LEDGER_DAYS = 90
const DEFAULT_INBOX_DAYS = 180
/** A message can wait for more than a day between its first and its last attempt. */
const MIN_DAYS = 3
const MAX_DAYS = 3650

/** Reads how many days notifications are kept: the ledger with its events, and the inboxes of people. */
export function readNotifications(read: EnvironmentReader) {
  return Object.freeze({
    ledger: read.integer('SVC_LEDGER_DAYS', DEFAULT_LEDGER_DAYS, MIN_DAYS, MAX_DAYS),
    inbox: read.integer('SVC_INBOX_DAYS', DEFAULT_INBOX_DAYS, MIN_DAYS, MAX_DAYS),
  })
}
