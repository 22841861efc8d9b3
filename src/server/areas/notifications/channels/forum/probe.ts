import { ServiceError } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import { tryParseObject } from '#lib/json.ts'
import type { Exchange } from '../exchange.ts'
import { type ForumAccess, showCategory } from './discourse.ts'
import { refusedUrl } from './url.ts'

/**
 * Throws unless the forum accepts the key for all of its users and has the category. A key of a single user is refused:
 * Discourse ignores with such a key as whom we ask to post, and would post everything as that user.
 */
export async function probeForum(access: ForumAccess, category: number): Promise<void> {
  refuseUnusable(await showCategory(access, category), category)
  // Nobody has this id. A key for all users cannot act as nobody; a key of one user acts as that user.
  const asNobody = await showCategory(access, category, newId('usr'))
  if (asNobody.answered && asNobody.status === 403) return
  if (asNobody.answered && asNobody.status === 200) {
    throw failed('The API key belongs to a single user. Create one for all users at the forum, under API.')
  }
  throw failed(`${answerText(asNobody)} Try again later.`)
}

const URL_FAULTS: Readonly<Record<string, string>> = {
  refused_address: 'The address is private or reserved. The operator can allow it with SVC_FORUM_ALLOWED_NETWORKS.',
  refused_url: 'This address cannot be used. Its port must be 80, 443 or at least 1024.',
  dns: 'The host name of the address could not be resolved. Check it and try again.',
}

function refuseUnusable(exchange: Exchange, category: number): void {
  const fault = exchange.answered ? undefined : URL_FAULTS[exchange.reason]
  if (fault !== undefined) throw refusedUrl(fault)
  switch (exchange.status) {
    case 200:
      if (exchange.answered && isCategory(exchange.body, category)) return
      throw failed('No Discourse forum answers at this address. Check the address.')
    case 403:
      throw failed('The forum refused the API key. Create a key for all users there, and connect with it.')
    case 404:
      throw failed(`The forum has no category ${category}, or the address is not that of a forum. Check both.`)
    default:
      throw failed(`${answerText(exchange)} Check the address and try again.`)
  }
}

function isCategory(body: string, category: number): boolean {
  const answer = tryParseObject(body) as { category?: { id?: unknown } | null } | undefined
  return answer?.category?.id === category
}

function answerText(exchange: Exchange): string {
  if (exchange.status !== undefined) return `The forum answered with HTTP status ${exchange.status}.`
  return 'The forum did not answer.'
}

function failed(message: string): ServiceError {
  return new ServiceError('FORUM_PROBE_FAILED', message)
}
