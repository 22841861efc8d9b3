import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import { type Exchange, exchangeOnce } from '../exchange.ts'

export type ForumAccess = {
  readonly safeFetch: SafeFetch
  /** Without a slash at its end. */
  readonly url: string
  readonly apiKey: string
}
type Limits = { readonly signal?: AbortSignal; readonly timeoutMs: number }

/** The external id of a topic is unique in its forum, so that posting it a second time is refused. */
type NewTopic = {
  readonly title: string
  readonly raw: string
  readonly category: number
  readonly external_id: string
}

const READ_TIMEOUT_MS = 8_000
const MAX_ANSWER_BYTES = 1024 * 1024
/** Discourse's own user, which exists in every forum and sees every topic. It reads only: it never posts for us. */
const SYSTEM = { 'api-user-id': '-1' }

/** Posts a topic as the user whose DiscourseConnect external id is `userId`. */
export function createTopic(
  access: ForumAccess,
  userId: string,
  topic: NewTopic,
  { signal, timeoutMs }: Limits,
): Promise<Exchange> {
  return exchangeOnce(access.safeFetch, `${access.url}/posts.json`, {
    method: 'POST',
    headers: { ...headersOf(access), 'api-user-external-id': userId, 'content-type': 'application/json' },
    body: JSON.stringify(topic),
    ...(signal && { signal }),
    timeoutMs,
    maxResponseBytes: MAX_ANSWER_BYTES,
  })
}

/** Looks for the topic. Discourse redirects from the external id to the topic, which then shows its external id. */
export function findTopic(access: ForumAccess, externalId: string): Promise<Exchange> {
  return read(access, `/t/external_id/${externalId}.json`, { redirects: 1 })
}

export function findAccount(access: ForumAccess, userId: string): Promise<Exchange> {
  return read(access, `/u/by-external/${userId}.json`)
}

/** `asExternalId` reads as a person instead of as Discourse's own user. */
export function showCategory(access: ForumAccess, category: number, asExternalId?: string): Promise<Exchange> {
  return read(access, `/c/${category}/show.json`, asExternalId === undefined ? {} : { asExternalId })
}

type Reading = { redirects?: 0 | 1; asExternalId?: string }

function read(access: ForumAccess, path: string, { redirects = 0, asExternalId }: Reading = {}): Promise<Exchange> {
  const as = asExternalId === undefined ? SYSTEM : { 'api-user-external-id': asExternalId }
  return exchangeOnce(access.safeFetch, `${access.url}${path}`, {
    headers: { ...headersOf(access), ...as },
    timeoutMs: READ_TIMEOUT_MS,
    maxResponseBytes: MAX_ANSWER_BYTES,
    redirects,
  })
}

function headersOf({ apiKey }: ForumAccess): Record<string, string> {
  return { 'api-key': apiKey, accept: 'application/json', 'user-agent': 'svc-notifications' }
}
